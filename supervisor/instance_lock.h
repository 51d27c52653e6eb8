// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/unique_handle.h"

namespace pilotlight {

/// What keeps a second pilotlightd out: an flock(2), which the kernel drops with its holder however that
/// ends.
class InstanceLock {
 public:
  /// Takes the lock or throws FatalError: already_running if another process holds it. Start-up only: it
  /// touches paths.
  static InstanceLock take();

 private:
  explicit InstanceLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace pilotlight
