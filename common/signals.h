// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <optional>

#include "common/error.h"
#include "common/unique_handle.h"

namespace pilotlight {

/// Signals read from a descriptor instead of interrupting: all blockable signals of the process are blocked
/// for its whole life (children get a clean mask from common/child_process.h), and the wanted ones arrive
/// here.
class SignalDescriptor {
 public:
  /// Also sets SIGCHLD to its default action, which a careless parent may have left ignored: ignored children
  /// would be reaped by the kernel and their exit status lost.
  static Result<SignalDescriptor> create(std::initializer_list<int> wanted);

  [[nodiscard]] int fd() const { return fd_.get(); }

  /// The next pending signal number; never blocks.
  [[nodiscard]] std::optional<int> next() const;

 private:
  explicit SignalDescriptor(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace pilotlight
