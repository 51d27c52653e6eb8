// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "common/heartbeat.h"
#include "common/signals.h"
#include "common/unique_handle.h"

namespace pilotlight {

/// What the runner of this worker wants of it.
enum class Order : std::uint8_t {
  none,
  begin,   ///< the word is armed
  finish,  ///< stop and write the profile in full
  halt,    ///< the killswitch: stop, write what there is, quickly
  leave,   ///< the runner is gone: nobody holds the lease any more
};

/// The worker's end of common/worker_contract.h.
class RunnerLink {
 public:
  /// Takes the inherited descriptors. Throws FatalError if they are not what the contract says: then this
  /// process was not started by a runner.
  static RunnerLink adopt();

  [[nodiscard]] int arm_word_fd() const { return arm_word_.get(); }

  void tell_ready(const std::vector<std::uint32_t>& program_ids);

  /// Waits for an order, at the longest so long; beats the heart before and after.
  Order wait(std::chrono::milliseconds longest);

  /// One sign of life. For work that takes longer than a second.
  void beat() { heartbeat_.beat(); }

 private:
  RunnerLink(UniqueFd arm_word, UniqueFd control, Heartbeat heartbeat, SignalDescriptor signals)
      : arm_word_(std::move(arm_word)),
        control_(std::move(control)),
        heartbeat_(std::move(heartbeat)),
        signals_(std::move(signals)) {}

  UniqueFd arm_word_;
  UniqueFd control_;
  Heartbeat heartbeat_;
  SignalDescriptor signals_;
};

}  // namespace pilotlight
