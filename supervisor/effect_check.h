// SPDX-License-Identifier: Apache-2.0
//
// Whether the BPF programs of a dead worker are gone too. A link that somebody else still holds keeps a
// program attached after its loader's death; only looking tells.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/clock.h"
#include "common/worker_contract.h"

namespace pilotlight {

/// A program that is still there after this is a leak. The kernel needs well under a millisecond when nobody
/// else holds it.
inline constexpr std::chrono::seconds leak_limit{1};

class EffectCheck {
 public:
  using TimePoint = MonotonicClock::time_point;

  /// The worker that reported these programs has just died.
  void begin(const WorkerReady& programs, TimePoint now) noexcept;

  /// Looks, without waiting: forgets the programs that are gone, true if that was all of them.
  [[nodiscard]] bool look() noexcept;

  /// When to look again: often at first, then each second.
  [[nodiscard]] TimePoint next_look(TimePoint now) const noexcept;

  /// Ids of the programs that are still there.
  [[nodiscard]] std::span<const std::uint32_t> remaining() const noexcept { return {ids_.data(), count_}; }

  /// The kernel refused to tell (it takes CAP_SYS_ADMIN): an unanswered question is not held against a dead
  /// worker.
  [[nodiscard]] bool refused() const noexcept { return refused_; }

 private:
  std::array<std::uint32_t, WorkerReady{}.program_ids.size()> ids_{};
  std::size_t count_ = 0;
  bool refused_ = false;
  TimePoint began_;
};

}  // namespace pilotlight
