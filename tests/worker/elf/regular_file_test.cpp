// SPDX-License-Identifier: Apache-2.0
#include "worker/elf/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string_view>

#include "tests/support/temporary_directory.h"

using namespace pilotlight;

namespace {

std::string content(const Result<UniqueFd>& fd) {
  std::array<char, 64> buffer{};
  const ssize_t got = fd ? ::read(fd->get(), buffer.data(), buffer.size()) : 0;
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(regular_file)

BOOST_AUTO_TEST_CASE(opens_a_file_for_reading_only) {
  const test::TemporaryDirectory directory;
  test::write_file(directory / "file", "content");
  const auto fd = open_regular_file(directory / "file");
  BOOST_TEST(content(fd) == "content");
  BOOST_TEST((::fcntl(fd->get(), F_GETFL) & O_ACCMODE) == O_RDONLY);
  BOOST_TEST((::fcntl(fd->get(), F_GETFD) & FD_CLOEXEC) != 0);
}

BOOST_AUTO_TEST_CASE(does_not_open_anything_else) {
  const test::TemporaryDirectory directory;
  BOOST_REQUIRE(::mkfifo((directory / "pipe").c_str(), 0600) == 0);
  BOOST_TEST(!open_regular_file(directory / "pipe").has_value());  // would wait for a writer
  BOOST_TEST(!open_regular_file("/dev/null").has_value());
  BOOST_TEST(!open_regular_file(directory.path()).has_value());
  BOOST_TEST(!open_regular_file(directory / "missing").has_value());
}

BOOST_AUTO_TEST_CASE(a_link_never_leads_out_of_the_root_directory) {
  const test::TemporaryDirectory outside;
  const test::TemporaryDirectory root;
  test::write_file(outside / "file", "outside");
  std::filesystem::create_directories(root.path() + outside.path());
  test::write_file(root.path() + outside.path() + "/file", "inside");
  std::filesystem::create_symlink(outside / "file", root / "absolute");
  std::filesystem::create_symlink("../../../../../../" + outside.path() + "/file", root / "relative");
  const UniqueFd root_fd(::open(root.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (const std::string& path : {outside / "file", std::string("/absolute"), std::string("/relative"),
                                  "/../../.." + (outside / "file")})
    BOOST_TEST(content(open_regular_file_under(root_fd.get(), path)) == "inside");
  BOOST_TEST(!open_regular_file_under(root_fd.get(), "/missing").has_value());
  BOOST_TEST(!open_regular_file_under(-1, "/absolute").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
