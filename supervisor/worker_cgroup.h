// SPDX-License-Identifier: Apache-2.0
//
// A control group (cgroup v2) of the worker's own, where there is one to be had: killing it reaches every
// descendant, also those that left the worker's session and process group. No controller is needed, only
// Linux 5.14.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/unique_handle.h"

namespace pilotlight {

/// The directory of this process's cgroup v2 by the texts of /proc/self/mountinfo and /proc/self/cgroup; also
/// where v1 hierarchies are mounted beside it (a hybrid layout). Nothing if v2 is not mounted, or mounted
/// without it.
std::optional<std::string> cgroup_directory(std::string_view mount_table, std::string_view membership);

class WorkerCgroup {
 public:
  /// Makes the leaf, or takes over the one that an earlier supervisor left. Start-up only: it touches paths;
  /// from then on everything goes through descriptors. A leaf that another living supervisor uses is never
  /// touched.
  static Result<WorkerCgroup> create();

  /// For ChildSpecification::cgroup_fd.
  [[nodiscard]] int fd() const { return directory_.get(); }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// SIGKILL for everything in it, processes that are being forked included.
  void kill() const noexcept;

  /// Whether a process is still in it; true if that cannot be read.
  [[nodiscard]] bool populated() const noexcept;

  /// Removes the leaf; only an empty one can be.
  void remove() const noexcept;

 private:
  WorkerCgroup(UniqueFd parent, UniqueFd directory, UniqueFd kill, UniqueFd events, std::string name,
               std::string path)
      : parent_(std::move(parent)),
        directory_(std::move(directory)),
        kill_(std::move(kill)),
        events_(std::move(events)),
        name_(std::move(name)),
        path_(std::move(path)) {}
  static Result<WorkerCgroup> open_leaf(const std::string& parent_path, const std::string& name);

  UniqueFd parent_;
  UniqueFd directory_;
  UniqueFd kill_;
  UniqueFd events_;
  std::string name_;
  std::string path_;
};

}  // namespace pilotlight
