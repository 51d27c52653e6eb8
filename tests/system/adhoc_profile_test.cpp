// SPDX-License-Identifier: Apache-2.0
// `pilotlight` run by hand, from outside: is what it writes true?
#include <algorithm>
#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "common/file.h"
#include "tests/support/child.h"
#include "tests/support/folded_file.h"
#include "tests/support/requires.h"
#include "tests/support/temporary_directory.h"

namespace pilotlight::test {

namespace {

using namespace std::chrono_literals;

const std::string shares = std::string(PILOTLIGHT_BIN_DIR) + "/shares";
const std::string deep = std::string(PILOTLIGHT_BIN_DIR) + "/deep";

/// The JSON line of --summary=json.
boost::json::object summary_of(const Finished& run) {
  const auto begin = run.standard_error.find("{\"output\"");
  BOOST_REQUIRE_MESSAGE(begin != std::string::npos, "no summary in: " << run.standard_error);
  const auto end = run.standard_error.find('\n', begin);
  return boost::json::parse(run.standard_error.substr(begin, end - begin)).as_object();
}

double number(const boost::json::object& summary, const char* name) {
  return summary.at(name).to_number<double>();
}

/// Samples of a launched burner against the CPU time that it says it used.
void check_count(int seconds) {
  const TemporaryDirectory folder;
  const Finished run = run_to_end({"pilotlight", "-F", "999", "--summary=json", "-o", folder / "x.folded",
                                   "--", shares, std::to_string(seconds)});
  BOOST_REQUIRE_EQUAL(run.exit_code, 0);
  const auto summary = summary_of(run);
  const double expected = 999 * std::stod(run.standard_output);
  const double seen = number(summary, "samples") + number(summary, "samples_lost");
  const double missed = number(summary, "ticks_missed");
  const double tolerance = std::max(0.05 * expected, 3 * std::sqrt(expected));
  BOOST_TEST_MESSAGE("expected " << expected << ", seen " << seen << ", missed on the machine " << missed);
  BOOST_TEST(seen <= expected + tolerance);
  // Late and stolen ticks are a loss that is counted; they may have hit this process or another.
  BOOST_TEST(seen + missed >= expected - tolerance);
  BOOST_TEST(total(read_folded(folder / "x.folded")) == number(summary, "samples"));
  BOOST_TEST(std::abs(number(summary, "samples_expected") - expected) <= tolerance);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(adhoc_profile, *boost::unit_test::precondition(NeedsRoot()))

BOOST_AUTO_TEST_CASE(a_second_at_999_hz_has_as_many_samples_as_cpu_time) { check_count(1); }

BOOST_AUTO_TEST_CASE(ten_seconds_at_999_hz_have_as_many_samples_as_cpu_time) { check_count(10); }

BOOST_AUTO_TEST_CASE(known_shares_are_found_within_three_points) {
  const TemporaryDirectory folder;
  const Finished run = run_to_end({"pilotlight", "-F", "999", "-o", folder / "x.folded", "--", shares, "5"});
  BOOST_REQUIRE_EQUAL(run.exit_code, 0);
  const FoldedFile file = read_folded(folder / "x.folded");
  const auto all = static_cast<double>(total(file));
  const auto share = [&](const char* frame) {
    return 100 * static_cast<double>(count_with(file, frame)) / all;
  };
  BOOST_TEST(std::abs(share("share_of_sixty") - 60) <= 3);
  BOOST_TEST(std::abs(share("share_of_thirty") - 30) <= 3);
  BOOST_TEST(std::abs(share("share_of_ten") - 10) <= 3);
}

BOOST_AUTO_TEST_CASE(a_known_stack_is_found_frame_by_frame) {
  const TemporaryDirectory folder;
  const Finished run =
      run_to_end({"pilotlight", "-F", "499", "-o", folder / "x.folded", "--", deep, "25", "2"});
  BOOST_REQUIRE_EQUAL(run.exit_code, 0);
  const FoldedFile file = read_folded(folder / "x.folded");
  std::uint64_t right = 0;
  for (const auto& stack : file) {
    const auto main = std::ranges::find(stack.frames, "main");
    const auto recursions = std::ranges::count(stack.frames, "recurse");
    if (main != stack.frames.end() && recursions == 25 && stack.frames.front() == "deep" &&
        std::ranges::find(stack.frames, "leaf_of_recursion") != stack.frames.end())
      right += stack.count;
  }
  // What is left: the program's start, and samples in the vdso between its two frames.
  BOOST_TEST(right * 100 >= total(file) * 95);
}

BOOST_AUTO_TEST_CASE(kernel_frames_are_named_and_marked) {
  const TemporaryDirectory folder;
  const Finished run = run_to_end({"pilotlight", "-F", "499", "-o", folder / "x.folded", "--", "/bin/dd",
                                   "if=/dev/zero", "of=/dev/null", "bs=1M", "count=20000"});
  BOOST_REQUIRE_EQUAL(run.exit_code, 0);
  const FoldedFile file = read_folded(folder / "x.folded");
  std::uint64_t with_read = 0;
  for (const auto& stack : file)
    with_read += std::ranges::any_of(stack.frames,
                                     [](const std::string& frame) {
                                       return frame.starts_with("vfs_read") && frame.ends_with("_[k]");
                                     })
                     ? stack.count
                     : 0;
  BOOST_TEST(with_read * 2 > total(file));
}

BOOST_AUTO_TEST_CASE(the_whole_machine_holds_every_busy_process) {
  const TemporaryDirectory folder;
  const Child first({shares, "20"});
  const Child second({deep, "10", "20"});
  const Finished run =
      run_to_end({"pilotlight", "-d", "2", "-F", "199", "--summary=json", "-o", folder / "x.folded"});
  BOOST_REQUIRE_EQUAL(run.exit_code, 0);
  const FoldedFile file = read_folded(folder / "x.folded");
  std::uint64_t of_shares = 0;
  std::uint64_t of_deep = 0;
  for (const auto& stack : file) {
    if (stack.frames.front() == "shares") of_shares += stack.count;
    if (stack.frames.front() == "deep") of_deep += stack.count;
  }
  BOOST_TEST(of_shares > 40);
  BOOST_TEST(of_deep > 40);
  const auto summary = summary_of(run);
  const double expected = number(summary, "samples_expected");
  BOOST_TEST(std::abs(number(summary, "samples") + number(summary, "ticks_missed") - expected) <=
             std::max(0.05 * expected, 3 * std::sqrt(expected)) + 20);
}

BOOST_AUTO_TEST_CASE(a_process_that_ends_before_the_profile_keeps_its_names) {
  const TemporaryDirectory folder;
  const Finished run = run_to_end({"pilotlight", "-F", "499", "-o", folder / "x.folded", "--", "/bin/sh",
                                   "-c", shares + " 0.5; exec sleep 0.5"});
  BOOST_REQUIRE_EQUAL(run.exit_code, 0);
  const FoldedFile file = read_folded(folder / "x.folded");
  BOOST_TEST(count_with(file, "share_of_sixty") > 50);
}

BOOST_AUTO_TEST_CASE(threads_stay_apart_when_asked_for) {
  const TemporaryDirectory folder;
  const Child burner({shares, "20"});
  const Finished run = run_to_end({"pilotlight", "-d", "1", "--per-thread", "--pid",
                                   std::to_string(burner.pid()), "-o", folder / "x.pb.gz"});
  BOOST_REQUIRE_EQUAL(run.exit_code, 0);
  const std::string go = find_program("go");
  if (go.empty()) return;
  const Finished tags = run_to_end({go, "tool", "pprof", "-tags", folder / "x.pb.gz"});
  BOOST_TEST(tags.exit_code == 0);
  BOOST_TEST(tags.standard_output.find(std::to_string(burner.pid())) != std::string::npos);
  BOOST_TEST(tags.standard_output.find("tid:") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(pprof_reads_what_was_recorded, *boost::unit_test::precondition(NeedsProgram{"go"})) {
  const TemporaryDirectory folder;
  const Finished run =
      run_to_end({"pilotlight", "-F", "499", "--summary=json", "-o", folder / "x.pb.gz", "--", shares, "2"});
  BOOST_REQUIRE_EQUAL(run.exit_code, 0);
  const Finished top = run_to_end(
      {find_program("go"), "tool", "pprof", "-sample_index=samples", "-top", "-cum", folder / "x.pb.gz"});
  BOOST_TEST(top.exit_code == 0);
  BOOST_TEST(top.standard_output.find("File: shares") != std::string::npos);
  BOOST_TEST(top.standard_output.find("share_of_thirty") != std::string::npos);
  const auto samples = static_cast<std::uint64_t>(number(summary_of(run), "samples"));
  BOOST_TEST_MESSAGE(top.standard_output);
  BOOST_TEST(top.standard_output.find("of " + std::to_string(samples) + " total") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_flame_graph_has_the_names_and_the_total) {
  const TemporaryDirectory folder;
  const Finished run =
      run_to_end({"pilotlight", "-F", "499", "--summary=json", "-o", folder / "x.svg", "--", shares, "1"});
  BOOST_REQUIRE_EQUAL(run.exit_code, 0);
  const std::string svg = read_file(folder / "x.svg").value();
  BOOST_TEST(svg.find("share_of_sixty") != std::string::npos);
  BOOST_TEST(svg.find("share_of_ten") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(interrupting_stops_and_writes) {
  const TemporaryDirectory folder;
  const Child burner({shares, "30"});
  Child run({"pilotlight", "--pid", std::to_string(burner.pid()), "-F", "499", "-o", folder / "x.folded"});
  std::this_thread::sleep_for(2s);
  run.signal(SIGINT);
  BOOST_TEST(run.exit_code(20s) == 0);
  BOOST_TEST(total(read_folded(folder / "x.folded")) > 50);
}

BOOST_AUTO_TEST_CASE(a_process_that_ends_ends_the_profile) {
  const TemporaryDirectory folder;
  Child burner({shares, "2"});
  Child run({"pilotlight", "--pid", std::to_string(burner.pid()), "-F", "499", "-o", folder / "x.folded"});
  burner.wait(20s);
  BOOST_TEST(run.exit_code(20s) == 0);
  BOOST_TEST(total(read_folded(folder / "x.folded")) > 50);
}

BOOST_AUTO_TEST_CASE(without_a_name_the_file_is_a_flame_graph_in_this_folder) {
  const TemporaryDirectory folder;
  const std::string command =
      "cd " + folder.path() + " && exec " + PILOTLIGHT_BIN_DIR + "/pilotlight -d 1 -- " + shares + " 0.5";
  const Finished run = run_to_end({"/bin/sh", "-c", command});
  BOOST_TEST(run.exit_code == 0);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename();
    BOOST_TEST(name.starts_with("pilotlight-"));
    BOOST_TEST(name.ends_with(".svg"));
    BOOST_TEST(run.standard_error.find(name) != std::string::npos);
    ++files;
  }
  BOOST_TEST(files == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight::test
