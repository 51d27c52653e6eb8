// SPDX-License-Identifier: Apache-2.0
#include "tests/support/private_etc.h"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "common/killswitch.h"
#include "tests/support/temporary_directory.h"

namespace pilotlight::test {

namespace {

void require(int result, const char* what) {
  if (result != 0) throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

PrivateEtc::PrivateEtc() {
  require(::unshare(CLONE_NEWNS), "unshare (the tests of this label need root)");
  require(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "make mounts private");
  namespace fs = std::filesystem;
  const TemporaryDirectory staging;
  require(::mount("tmpfs", staging.path().c_str(), "tmpfs", 0, "mode=0755"), "mount a tmpfs");
  fs::copy("/etc", staging.path(), fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  fs::remove_all(staging / std::string("pilotlight"));
  require(::mount(staging.path().c_str(), "/etc", nullptr, MS_MOVE, nullptr), "move the copy over /etc");
  require(::mount("tmpfs", "/run", "tmpfs", 0, "mode=0755"), "mount a tmpfs on /run");
}

void engage_killswitch(const std::string& reason) {
  std::filesystem::create_directories(killswitch_directory);
  write_file(killswitch_path, reason);
}

void release_killswitch() { std::filesystem::remove_all(killswitch_path); }

}  // namespace pilotlight::test
