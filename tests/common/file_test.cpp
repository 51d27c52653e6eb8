// SPDX-License-Identifier: Apache-2.0
#include "common/file.h"

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <filesystem>

#include "tests/support/temporary_directory.h"

namespace pilotlight {

namespace {

namespace fs = std::filesystem;
using Existing = AtomicFile::Existing;

}  // namespace

BOOST_AUTO_TEST_SUITE(file)

BOOST_AUTO_TEST_CASE(a_file_of_proc_is_read_whole) {
  BOOST_TEST(read_file("/proc/self/stat").value().size() > 20U);
  BOOST_TEST(read_file("/no/such/file").error().error_number == ENOENT);
}

BOOST_AUTO_TEST_CASE(a_file_appears_with_its_commit_and_not_before) {
  const test::TemporaryDirectory folder;
  {
    auto file = AtomicFile::create(folder / "x", Existing::refuse).value();
    BOOST_REQUIRE(file.write("hello "));
    BOOST_REQUIRE(file.write("there"));
    BOOST_TEST(!fs::exists(folder / "x"));
    BOOST_REQUIRE(file.commit());
  }
  BOOST_TEST(read_file(folder / "x").value() == "hello there");
}

BOOST_AUTO_TEST_CASE(without_a_commit_nothing_is_left) {
  const test::TemporaryDirectory folder;
  {
    auto file = AtomicFile::create(folder / "x", Existing::refuse).value();
    BOOST_REQUIRE(file.write("half"));
  }
  BOOST_TEST(fs::is_empty(folder.path()));
}

BOOST_AUTO_TEST_CASE(an_existing_file_is_replaced_only_when_allowed_whenever_it_came_into_being) {
  const test::TemporaryDirectory folder;
  test::write_file(folder / "x", "old");
  BOOST_TEST(!AtomicFile::create(folder / "x", Existing::refuse).has_value());
  auto late = AtomicFile::create(folder / "y", Existing::refuse).value();
  test::write_file(folder / "y", "came in between");
  BOOST_TEST(!late.commit().has_value());
  BOOST_TEST(read_file(folder / "y").value() == "came in between");
  auto replacing = AtomicFile::create(folder / "x", Existing::replace).value();
  BOOST_REQUIRE(replacing.write("new"));
  BOOST_TEST(read_file(folder / "x").value() == "old");
  BOOST_REQUIRE(replacing.commit());
  BOOST_TEST(read_file(folder / "x").value() == "new");
}

BOOST_AUTO_TEST_CASE(what_is_no_regular_file_is_never_replaced) {
  const test::TemporaryDirectory folder;
  fs::create_directory(folder / "d");
  BOOST_TEST(!AtomicFile::create(folder / "d", Existing::replace).has_value());
  fs::create_symlink("/etc/passwd", folder / "l");
  BOOST_TEST(!AtomicFile::create(folder / "l", Existing::replace).has_value());
}

BOOST_AUTO_TEST_CASE(a_missing_folder_is_an_error_that_names_it) {
  const auto file = AtomicFile::create("/no/such/folder/x", Existing::refuse);
  BOOST_REQUIRE(!file.has_value());
  BOOST_TEST(file.error().message().find("/no/such/folder") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
