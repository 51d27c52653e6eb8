// SPDX-License-Identifier: Apache-2.0
#include "worker/elf/regular_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pilotlight {

namespace {

/// From a handle opened with O_PATH, which opened no more than the name, to the file: exactly what was looked
/// at.
Result<UniqueFd> open_handle(const UniqueFd& handle, const std::string& path) {
  if (!handle) return system_error("cannot open " + path);
  struct stat status{};
  if (::fstat(handle.get(), &status) != 0) return system_error("cannot examine " + path);
  if (!S_ISREG(status.st_mode)) return failure(path + " is not a regular file");
  const std::string opened = "/proc/self/fd/" + std::to_string(handle.get());
  UniqueFd fd(::open(opened.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return system_error("cannot open " + path);
  return fd;
}

}  // namespace

Result<UniqueFd> open_regular_file(const std::string& path) {
  return open_handle(UniqueFd(::open(path.c_str(), O_PATH | O_CLOEXEC)), path);
}

Result<UniqueFd> open_regular_file_under(int root_directory_fd, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const auto fd = ::syscall(SYS_openat2, root_directory_fd, path.c_str(), &how, sizeof how);
  return open_handle(UniqueFd(static_cast<int>(fd)), path);
}

}  // namespace pilotlight
