// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "common/error.h"
#include "common/unique_handle.h"

namespace pilotlight {

/// The processes named by --pid, watched for their end.
class TargetProcesses {
 public:
  /// Fails with the first pid that does not exist (error number ESRCH).
  static Result<TargetProcesses> open(const std::vector<std::uint32_t>& pids);

  /// Descriptors that become readable as the processes end.
  [[nodiscard]] const std::vector<UniqueFd>& pidfds() const { return pidfds_; }

  /// Forgets those that have ended; true when the last one has.
  bool all_ended();

 private:
  explicit TargetProcesses(std::vector<UniqueFd> pidfds) : pidfds_(std::move(pidfds)) {}
  std::vector<UniqueFd> pidfds_;
};

}  // namespace pilotlight
