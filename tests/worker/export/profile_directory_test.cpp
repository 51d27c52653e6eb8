// SPDX-License-Identifier: Apache-2.0
#include "worker/export/profile_directory.h"

#include <sys/mount.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <set>

#include "common/file.h"
#include "tests/support/requires.h"
#include "tests/support/temporary_directory.h"
#include "tests/worker/export/profile_builder.h"
#include "worker/export/folded.h"

using namespace pilotlight;
using namespace pilotlight::test;
using std::chrono::seconds;

namespace {

/// small_profile() that many seconds later.
Profile profile_at(std::int64_t second) {
  Profile profile = small_profile();
  profile.start += seconds(second);
  return profile;
}

const std::chrono::system_clock::time_point first_second = small_profile().start;

std::set<std::string> names_in(const std::string& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.insert(entry.path().filename());
  return names;
}

std::string name_at(std::int64_t second) {
  return default_file_name("web1", first_second + seconds(second), Format::folded);
}

std::uint64_t size_of_one() { return export_folded(small_profile()).value().size(); }

ProfileDirectory folded_directory(const std::string& path, RetentionLimits limits = {}) {
  return {path, "web1", Format::folded, limits};
}

/// A file system of 256 KiB on a folder.
class SmallFileSystem {
 public:
  explicit SmallFileSystem(const std::string& path) : path_(path) {
    std::filesystem::create_directory(path);
    if (::mount("none", path.c_str(), "tmpfs", 0, "size=256k") != 0) throw std::runtime_error("cannot mount");
  }
  SmallFileSystem(const SmallFileSystem&) = delete;
  SmallFileSystem& operator=(const SmallFileSystem&) = delete;
  ~SmallFileSystem() { ::umount(path_.c_str()); }

 private:
  std::string path_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(profile_directory)

BOOST_AUTO_TEST_CASE(a_window_is_a_file) {
  const TemporaryDirectory directory;
  const auto written = folded_directory(directory.path()).write(profile_at(0)).value();
  BOOST_TEST(written.path == directory / "pilotlight-web1-20250102T030405Z.folded");
  BOOST_TEST(written.removed == 0U);
  BOOST_TEST(read_file(written.path).value() == export_folded(small_profile()).value());
  BOOST_TEST(written.bytes == size_of_one());
}

BOOST_AUTO_TEST_CASE(windows_of_one_second_do_not_overwrite_each_other) {
  const TemporaryDirectory directory;
  auto profiles = folded_directory(directory.path());
  Profile other = profile_at(0);
  other.processes[0].name = "other";
  BOOST_REQUIRE(profiles.write(profile_at(0)));
  BOOST_REQUIRE(profiles.write(other));
  BOOST_REQUIRE(profiles.write(profile_at(0)));
  const std::set<std::string> expected{"pilotlight-web1-20250102T030405Z.folded",
                                       "pilotlight-web1-20250102T030405Z-2.folded",
                                       "pilotlight-web1-20250102T030405Z-3.folded"};
  BOOST_TEST(names_in(directory.path()) == expected);
  BOOST_TEST(read_file(directory / name_at(0)).value() == export_folded(small_profile()).value());
}

BOOST_AUTO_TEST_CASE(whatever_has_the_name_already_is_left_alone) {
  const TemporaryDirectory directory;
  std::filesystem::create_symlink("/nowhere", directory / name_at(0));
  const auto written = folded_directory(directory.path()).write(profile_at(0)).value();
  BOOST_TEST(written.path == directory / "pilotlight-web1-20250102T030405Z-2.folded");
  BOOST_TEST(std::filesystem::is_symlink(directory / name_at(0)));
}

BOOST_AUTO_TEST_CASE(old_files_go_by_age) {
  const TemporaryDirectory directory;
  auto profiles = folded_directory(directory.path(), {.age = seconds(60), .bytes = 0});
  for (const std::int64_t second : {0, 10, 50})
    BOOST_REQUIRE(profiles.write(profile_at(second), first_second + seconds(second)));
  const auto written = profiles.write(profile_at(71), first_second + seconds(71)).value();
  BOOST_TEST(written.removed == 2U);
  const std::set<std::string> expected{name_at(50), name_at(71)};
  BOOST_TEST(names_in(directory.path()) == expected);
}

BOOST_AUTO_TEST_CASE(the_oldest_go_by_size) {
  const TemporaryDirectory directory;
  auto profiles = folded_directory(directory.path(), {.age = seconds(0), .bytes = 3 * size_of_one()});
  for (const std::int64_t second : {0, 1, 1, 2, 3}) BOOST_REQUIRE(profiles.write(profile_at(second)));
  const std::set<std::string> expected{"pilotlight-web1-20250102T030406Z-2.folded", name_at(2), name_at(3)};
  BOOST_TEST(names_in(directory.path()) == expected);
}

BOOST_AUTO_TEST_CASE(only_files_of_its_own_go) {
  const TemporaryDirectory directory;
  const std::set<std::string> foreign{
      "notes.txt", "pilotlight-web2-20200102T030405Z.folded", "pilotlight-web1-20200102T030405Z.folded.bak",
      "my-pilotlight-web1-20200102T030405Z.folded", ".pilotlight-web2-20200102T030405Z.folded.partial"};
  for (const std::string& name : foreign) write_file(directory / name, "keep");
  std::filesystem::create_directory(directory / "pilotlight-web1-20200101T000000Z.folded");
  std::filesystem::create_symlink("notes.txt", directory / "pilotlight-web1-20200101T000001Z.folded");
  const std::set<std::string> own{"pilotlight-web1-20200101T000000Z.svg",
                                  "pilotlight-web1-20200101T000000Z.pb.gz",
                                  ".pilotlight-web1-20200101T000000Z.svg.partial"};
  for (const std::string& name : own) write_file(directory / name, "remove");
  auto profiles = folded_directory(directory.path(), {.age = seconds(1), .bytes = size_of_one()});
  const auto written = profiles.write(profile_at(0), first_second).value();
  BOOST_TEST(written.removed == 2U);
  std::set<std::string> expected = foreign;
  expected.insert(
      {"pilotlight-web1-20200101T000000Z.folded", "pilotlight-web1-20200101T000001Z.folded", name_at(0)});
  BOOST_TEST(names_in(directory.path()) == expected);
}

BOOST_AUTO_TEST_CASE(a_profile_larger_than_the_limit_removes_nothing) {
  const TemporaryDirectory directory;
  BOOST_REQUIRE(folded_directory(directory.path()).write(profile_at(0)));
  auto limited = folded_directory(directory.path(), {.age = seconds(0), .bytes = size_of_one() - 1});
  BOOST_TEST(!limited.write(profile_at(1)));
  BOOST_TEST(names_in(directory.path()) == std::set<std::string>{name_at(0)});
}

BOOST_AUTO_TEST_CASE(a_vanished_folder_is_an_error_until_it_is_back) {
  const TemporaryDirectory parent;
  const std::string path = parent / "profiles";
  auto profiles = folded_directory(path);
  const auto failed = profiles.write(profile_at(0));
  BOOST_REQUIRE(!failed);
  BOOST_TEST(failed.error().error_number == ENOENT);
  BOOST_TEST(!std::filesystem::exists(path));
  std::filesystem::create_directory(path);
  BOOST_TEST(profiles.write(profile_at(0)).has_value());
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_an_error_and_leaves_nothing_half_written,
                     *boost::unit_test::precondition(NeedsRoot{})) {
  const TemporaryDirectory parent;
  const std::string path = parent / "small";
  const SmallFileSystem file_system(path);
  auto profiles = folded_directory(path);
  ProfileBuilder builder;
  builder.stack(builder.process(1, "p"), {std::string(200'000, 'x')}, 1);
  BOOST_REQUIRE(profiles.write(builder.profile));
  const auto failed = profiles.write(builder.profile);
  BOOST_REQUIRE(!failed);
  BOOST_TEST(failed.error().error_number == ENOSPC);
  BOOST_TEST(names_in(path).size() == 1U);
  std::filesystem::remove(path + "/" + default_file_name("web1", builder.profile.start, Format::folded));
  BOOST_TEST(profiles.write(builder.profile).has_value());
}

BOOST_AUTO_TEST_CASE(a_window_without_samples_is_an_error_and_no_file) {
  const TemporaryDirectory directory;
  BOOST_TEST(!folded_directory(directory.path()).write(Profile{}));
  BOOST_TEST(names_in(directory.path()).empty());
}

BOOST_AUTO_TEST_SUITE_END()
