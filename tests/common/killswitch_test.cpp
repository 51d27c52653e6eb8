// SPDX-License-Identifier: Apache-2.0
#include "common/killswitch.h"

#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>

#include "common/unique_handle.h"
#include "tests/support/temporary_directory.h"

namespace pilotlight {

namespace {

namespace fs = std::filesystem;
using test::write_file;

/// An empty directory of the switch, before and after.
struct EmptyDirectory {
  EmptyDirectory() { make(); }
  ~EmptyDirectory() { make(); }
  static void make() {
    ::umount2(killswitch_directory, MNT_DETACH);
    fs::remove_all(killswitch_directory);
    fs::create_directory(killswitch_directory);
  }
};

void make_socket() {
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, killswitch_path, sizeof address.sun_path - 1);
  BOOST_REQUIRE_EQUAL(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
}

/// The reading as nobody sees it, in a child.
SwitchState reading_of_nobody() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::setresgid(65534, 65534, 65534) != 0 || ::setresuid(65534, 65534, 65534) != 0) ::_exit(99);
    ::_exit(static_cast<int>(killswitch_reading().state));
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return static_cast<SwitchState>(WEXITSTATUS(status));
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(killswitch, EmptyDirectory)

BOOST_AUTO_TEST_CASE(only_a_clear_no_such_file_is_released) {
  BOOST_CHECK(killswitch_reading().state == SwitchState::released);
  fs::remove_all(killswitch_directory);
  BOOST_CHECK(killswitch_reading().state == SwitchState::released);
}

BOOST_AUTO_TEST_CASE(an_entry_of_any_kind_is_engaged) {
  const std::string path = killswitch_path;
  const std::function<void()> kinds[] = {
      [&] { write_file(path, ""); },
      [&] { fs::create_directory(path); },
      [&] { fs::create_symlink("nowhere", path); },
      [&] { fs::create_symlink(killswitch_name, path); },
      [&] { fs::create_symlink("/etc/passwd", path); },
      [&] { fs::create_hard_link("/etc/passwd", path); },
      [&] { BOOST_REQUIRE_EQUAL(::mkfifo(path.c_str(), 0), 0); },
      [&] { BOOST_REQUIRE_EQUAL(::mknod(path.c_str(), S_IFCHR, makedev(0, 0)), 0); },
      [&] { make_socket(); },
      [&] {
        write_file("/etc/killswitch", "");
        fs::rename("/etc/killswitch", path);
      },
  };
  for (const auto& make : kinds) {
    make();
    BOOST_CHECK(killswitch_reading().state == SwitchState::engaged);
    fs::remove_all(path);
    BOOST_CHECK(killswitch_reading().state == SwitchState::released);
  }
}

BOOST_AUTO_TEST_CASE(every_other_error_is_unknown) {
  fs::remove_all(killswitch_directory);
  write_file(killswitch_directory, "");
  BOOST_CHECK(killswitch_reading().state == SwitchState::unknown);
  BOOST_TEST(killswitch_reading().error_number == ENOTDIR);
  fs::remove(killswitch_directory);
  fs::create_symlink("pilotlight", killswitch_directory);
  BOOST_CHECK(killswitch_reading().state == SwitchState::unknown);
  BOOST_TEST(killswitch_reading().error_number == ELOOP);
  fs::remove(killswitch_directory);
  fs::create_directory(killswitch_directory);
  fs::permissions(killswitch_directory, fs::perms::none);
  BOOST_CHECK(reading_of_nobody() == SwitchState::unknown);
  fs::permissions(killswitch_directory, fs::perms(0755));
  BOOST_CHECK(reading_of_nobody() == SwitchState::released);
}

BOOST_AUTO_TEST_CASE(a_service_does_not_believe_a_directory_that_is_not_the_one_of_its_start) {
  const auto identity = killswitch_directory_identity().value();
  BOOST_CHECK(killswitch_reading(identity).state == SwitchState::released);
  // The old one is kept, or its inode could be given to the new one.
  fs::rename(killswitch_directory, "/etc/pilotlight-before");
  BOOST_CHECK(killswitch_reading(identity).state == SwitchState::unknown);
  BOOST_TEST(killswitch_reading(identity).directory_replaced);
  fs::create_directory(killswitch_directory);
  BOOST_CHECK(killswitch_reading(identity).state == SwitchState::unknown);
  fs::remove(killswitch_directory);
  fs::rename("/etc/pilotlight-before", killswitch_directory);
  BOOST_CHECK(killswitch_reading(identity).state == SwitchState::released);
  BOOST_REQUIRE_EQUAL(::mount("tmpfs", killswitch_directory, "tmpfs", 0, nullptr), 0);
  BOOST_CHECK(killswitch_reading(identity).state == SwitchState::unknown);
  ::umount(killswitch_directory);
  BOOST_CHECK(killswitch_reading(identity).state == SwitchState::released);
}

BOOST_AUTO_TEST_CASE(the_reason_is_the_first_512_bytes_escaped) {
  BOOST_TEST(killswitch_reason().empty());
  write_file(killswitch_path, "incident 42\n\n");
  BOOST_TEST(killswitch_reason() == "incident 42");
  write_file(killswitch_path, std::string("a\x1b\x00\\\xff", 5));
  BOOST_TEST(killswitch_reason() == "a\\x1b\\x00\\x5c\\xff");
  write_file(killswitch_path, std::string(5000, 'x'));
  BOOST_TEST(killswitch_reason() == std::string(512, 'x'));
  fs::remove(killswitch_path);
  fs::create_symlink("/etc/passwd", killswitch_path);
  BOOST_TEST(killswitch_reason().empty());
  fs::remove(killswitch_path);
  BOOST_REQUIRE_EQUAL(::mkfifo(killswitch_path, 0600), 0);
  BOOST_TEST(killswitch_reason().empty());  // and does not wait for a writer
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
