// SPDX-License-Identifier: Apache-2.0
#include "supervisor/worker_cgroup.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "common/file.h"

namespace pilotlight {

namespace {

constexpr std::string_view leaf_name = "pilotlight-worker";
constexpr mode_t leaf_mode = 0755;
/// So many supervisors can live in one cgroup (each in a mount namespace of its own, with its own lock).
constexpr int most_leaves = 8;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

/// proc(5): space, tab, newline and backslash stand as three octal digits.
std::string unescape(std::string_view text) {
  constexpr std::size_t digits = 3;
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = text.substr(i + 1, digits);
    if (text[i] != '\\' || code.size() < digits ||
        code.find_first_not_of("01234567") != std::string_view::npos) {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>(std::stoi(std::string(code), nullptr, 8));
    i += digits;
  }
  return plain;
}

struct Mount {
  std::string root;
  std::string point;
};

std::optional<Mount> cgroup2_mount(std::string_view mount_table) {
  constexpr std::size_t root_field = 3;
  constexpr std::size_t point_field = 4;
  for (const auto line : split(mount_table, '\n')) {
    const auto separator = line.find(" - ");
    if (separator == std::string_view::npos || !line.substr(separator + 3).starts_with("cgroup2 ")) continue;
    const auto fields = split(line.substr(0, separator), ' ');
    if (fields.size() > point_field)
      return Mount{.root = unescape(fields[root_field]), .point = unescape(fields[point_field])};
  }
  return std::nullopt;
}

/// The part of path below root, with its slash; nothing if it is not below.
std::optional<std::string_view> below(std::string_view path, std::string_view root) {
  if (root == "/") return path == "/" ? std::string_view() : path;
  if (!path.starts_with(root)) return std::nullopt;
  path.remove_prefix(root.size());
  if (!path.empty() && path.front() != '/') return std::nullopt;
  return path;
}

}  // namespace

std::optional<std::string> cgroup_directory(std::string_view mount_table, std::string_view membership) {
  const auto mount = cgroup2_mount(mount_table);
  if (!mount) return std::nullopt;
  constexpr std::string_view unified = "0::";
  for (const auto line : split(membership, '\n')) {
    if (!line.starts_with(unified)) continue;
    const auto relative = below(line.substr(unified.size()), mount->root);
    if (!relative || relative->find("/..") != std::string_view::npos) return std::nullopt;
    return mount->point + std::string(*relative);
  }
  return std::nullopt;
}

Result<WorkerCgroup> WorkerCgroup::create() {
  const auto mount_table = read_file("/proc/self/mountinfo");
  const auto membership = read_file("/proc/self/cgroup");
  if (!mount_table || !membership) return failure("this process's control groups cannot be read");
  const auto parent = cgroup_directory(*mount_table, *membership);
  if (!parent) return failure("no cgroup v2 is mounted for this process");
  for (int i = 0; i < most_leaves; ++i) {
    const std::string name = std::string(leaf_name) + (i == 0 ? "" : "-" + std::to_string(i + 1));
    auto leaf = open_leaf(*parent, name);
    if (leaf || leaf.error().error_number != EWOULDBLOCK) return leaf;
  }
  return failure("every control group for a worker under " + *parent + " is in use");
}

Result<WorkerCgroup> WorkerCgroup::open_leaf(const std::string& parent_path, const std::string& name) {
  const std::string path = parent_path + "/" + name;
  UniqueFd parent(::open(parent_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct statfs filesystem{};
  if (!parent || ::fstatfs(parent.get(), &filesystem) != 0) return system_error("cannot open " + parent_path);
  if (filesystem.f_type != CGROUP2_SUPER_MAGIC) return failure(parent_path + " is hidden by another mount");
  if (::mkdirat(parent.get(), name.c_str(), leaf_mode) != 0 && errno != EEXIST)
    return system_error("cannot create " + path);
  UniqueFd directory(::openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return system_error("cannot open " + path);
  if (::flock(directory.get(), LOCK_EX | LOCK_NB) != 0) return system_error("cannot lock " + path);
  UniqueFd kill(::openat(directory.get(), "cgroup.kill", O_WRONLY | O_CLOEXEC));
  if (!kill) return system_error("cannot open " + path + "/cgroup.kill");
  UniqueFd events(::openat(directory.get(), "cgroup.events", O_RDONLY | O_CLOEXEC));
  if (!events) return system_error("cannot open " + path + "/cgroup.events");
  return WorkerCgroup(std::move(parent), std::move(directory), std::move(kill), std::move(events), name,
                      path);
}

void WorkerCgroup::kill() const noexcept {
  [[maybe_unused]] const ssize_t written = ::pwrite(kill_.get(), "1", 1, 0);
}

bool WorkerCgroup::populated() const noexcept {
  std::array<char, 256> text;
  const ssize_t got = ::pread(events_.get(), text.data(), text.size(), 0);
  // ENODEV: somebody removed the group, which only an empty one can be.
  if (got < 0 && errno == ENODEV) return false;
  if (got <= 0) return true;
  return std::string_view(text.data(), static_cast<std::size_t>(got)).find("populated 0") ==
         std::string_view::npos;
}

void WorkerCgroup::remove() const noexcept { ::unlinkat(parent_.get(), name_.c_str(), AT_REMOVEDIR); }

}  // namespace pilotlight
