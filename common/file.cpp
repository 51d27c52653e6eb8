// SPDX-License-Identifier: Apache-2.0
#include "common/file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace pilotlight {

namespace {

constexpr mode_t profile_mode = 0644;

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return system_error("cannot open " + path);
  std::string content;
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t got = ::read(fd.get(), chunk.data(), chunk.size());
    if (got == 0) return content;
    if (got > 0)
      content.append(chunk.data(), static_cast<std::size_t>(got));
    else if (errno != EINTR)
      return system_error("cannot read " + path);
  }
}

Result<AtomicFile> AtomicFile::create(const std::string& path, Existing existing) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) == 0) {
    if (existing == Existing::refuse) return failure(path + " exists", "choose another name or give --force");
    if (!S_ISREG(status.st_mode)) return failure(path + " is not a regular file", "choose another name");
  }
  const std::string folder = folder_of(path);
  UniqueFd fd(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, profile_mode));
  if (fd) return AtomicFile(std::move(fd), path, {}, existing);
  if (errno != EOPNOTSUPP && errno != EISDIR)
    return system_error("cannot write to " + folder, "create it or make it writable, or choose another name");
  std::string partial = folder + "/." + name_of(path) + ".partial";
  fd.reset(::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, profile_mode));
  if (!fd) return system_error("cannot write " + partial, "make the folder writable, or choose another name");
  return AtomicFile(std::move(fd), path, std::move(partial), existing);
}

AtomicFile::AtomicFile(UniqueFd fd, std::string path, std::string partial_path, Existing existing)
    : fd_(std::move(fd)),
      path_(std::move(path)),
      partial_path_(std::move(partial_path)),
      existing_(existing) {}

AtomicFile::~AtomicFile() {
  if (fd_ && !partial_path_.empty()) ::unlink(partial_path_.c_str());
}

Result<void> AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
    if (written >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      return system_error("cannot write " + path_, "free some space, or choose another place");
  }
  return {};
}

Result<void> AtomicFile::link_under(const std::string& name) const {
  const std::string self = "/proc/self/fd/" + std::to_string(fd_.get());
  if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0)
    return system_error("cannot create " + name, "choose another name or give --force");
  return {};
}

Result<void> AtomicFile::commit() {
  if (partial_path_.empty() && existing_ == Existing::refuse) {
    if (auto linked = link_under(path_); !linked) return linked;
  } else {
    if (partial_path_.empty()) {
      // linkat() cannot replace a file, rename() can.
      const std::string partial = folder_of(path_) + "/." + name_of(path_) + ".partial";
      ::unlink(partial.c_str());
      if (auto linked = link_under(partial); !linked) return linked;
      partial_path_ = partial;
    }
    const unsigned flags = existing_ == Existing::refuse ? RENAME_NOREPLACE : 0;
    if (::renameat2(AT_FDCWD, partial_path_.c_str(), AT_FDCWD, path_.c_str(), flags) != 0)
      return system_error("cannot create " + path_, "choose another name or give --force");
    partial_path_.clear();
  }
  fd_.reset();
  return {};
}

}  // namespace pilotlight
