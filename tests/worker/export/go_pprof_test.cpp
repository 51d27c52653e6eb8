// SPDX-License-Identifier: Apache-2.0
// What the reference reader of the pprof format makes of our files.
#include <boost/test/unit_test.hpp>

#include "tests/support/child.h"
#include "tests/support/requires.h"
#include "tests/support/temporary_directory.h"
#include "tests/worker/export/profile_builder.h"
#include "worker/export/pprof.h"

using namespace pilotlight;
using namespace pilotlight::test;

namespace {

/// Standard output of `go tool pprof OPTION… FILE`. Its complaints would be in the error output.
std::string go_pprof(const Profile& profile, std::vector<std::string> options) {
  const TemporaryDirectory directory;
  write_file(directory / "profile.pb.gz", export_pprof(profile).value());
  options.insert(options.begin(), {find_program("go"), "tool", "pprof"});
  options.push_back(directory / "profile.pb.gz");
  const Finished finished = run_to_end(options);
  BOOST_REQUIRE_MESSAGE(finished.exit_code == 0, finished.standard_error);
  BOOST_TEST(finished.standard_error.find("ocal symbolization failed") == std::string::npos);
  return finished.standard_output;
}

void expect(const std::string& text, const std::string& part) {
  BOOST_TEST(text.find(part) != std::string::npos, "no '" << part << "' in\n" << text);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(go_pprof_reads, *boost::unit_test::precondition(NeedsProgram{"go"}))

BOOST_AUTO_TEST_CASE(title_times_and_totals) {
  const std::string top = go_pprof(small_profile(), {"-top"});
  expect(top, "File: worker\n");
  expect(top, "Build ID: c0ffee\n");
  expect(top, "Type: cpu\n");
  expect(top, "Duration: 10s, Total samples = 1010.10ms (10.10%)");
  expect(top, "leaf");
  expect(top, "(inline)");
}

BOOST_AUTO_TEST_CASE(sample_counts) {
  const std::string top = go_pprof(small_profile(), {"-top", "-sample_index=samples"});
  expect(top, "Type: samples");
  expect(top, "74 74.00% 74.00%         74 74.00%  leaf (inline)");
  expect(top, "25 25.00% 99.00%         25 25.00%  vfs_read");
}

BOOST_AUTO_TEST_CASE(the_whole_machine_by_its_own_name) {
  ProfileBuilder builder;
  const auto library = builder.mapping("/usr/lib/libc.so.6");
  for (const std::uint32_t pid : {10U, 11U})
    builder.sample(builder.process(pid, "p"), {builder.frame("main", FrameKind::user, library)}, 1);
  expect(go_pprof(builder.profile, {"-top"}), "File: [system]\n");
}

BOOST_AUTO_TEST_CASE(labels_and_comments) {
  const Profile profile = small_profile();
  const std::string tags = go_pprof(profile, {"-tags", "-sample_index=samples"});
  expect(tags, "process: Total 100");
  expect(tags, "thread: Total 100");
  expect(tags, "pid: Total 100");
  expect(tags, "worker");
  expect(tags, "4711");
  const std::string comments = go_pprof(profile, {"-comments"});
  expect(comments, "host: web1\n");
  expect(comments, "samples: 100\n");
}

BOOST_AUTO_TEST_CASE(hostile_names) {
  expect(go_pprof(hostile_profile(), {"-raw"}), R"(bad \xff\xfe utf-8 \xc3)");
}

BOOST_AUTO_TEST_SUITE_END()
