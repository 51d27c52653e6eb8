// SPDX-License-Identifier: Apache-2.0
#include "supervisor/instance_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>

#include "common/fatal_error.h"
#include "common/file.h"

namespace pilotlight {

namespace {

constexpr char run_directory[] = "/run/pilotlight";
constexpr char lock_path[] = "/run/pilotlight/lock";
constexpr mode_t directory_mode = 0755;
constexpr mode_t lock_mode = 0644;

[[noreturn]] void fail(const char* what) {
  const bool denied = errno == EACCES || errno == EPERM;
  const Error error{
      .what = what,
      .error_number = errno,
      .remedy = denied ? "run as root" : "pilotlightd needs a writable /run to keep a second one out"};
  throw FatalError(denied ? ExitCode::not_permitted : ExitCode::failure, error);
}

/// Only for the message: the lock is what counts, not the number in the file.
std::string holder() {
  std::string pid = read_file(lock_path).value_or(std::string());
  while (!pid.empty() && pid.back() == '\n') pid.pop_back();
  if (pid.empty() || pid.find_first_not_of("0123456789") != std::string::npos) return {};
  return " (process " + pid + ")";
}

}  // namespace

InstanceLock InstanceLock::take() {
  if (::mkdir(run_directory, directory_mode) != 0 && errno != EEXIST) fail("cannot create /run/pilotlight");
  UniqueFd fd(::open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, lock_mode));
  if (!fd) fail("cannot open /run/pilotlight/lock");
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) fail("cannot lock /run/pilotlight/lock");
    throw FatalError(
        ExitCode::already_running,
        "another pilotlightd" + holder() + " is running here; stop it first, or leave the work to it");
  }
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd.get(), 0) != 0 || ::write(fd.get(), pid.data(), pid.size()) < 0) {
    // A full /run costs a second instance the number in its message, nothing else.
  }
  return InstanceLock(std::move(fd));
}

}  // namespace pilotlight
