// SPDX-License-Identifier: Apache-2.0
//
// When a crashed worker may come back: a function of the deaths it is told of and of nothing else. It reads
// no clock and draws no random number.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

#include "common/clock.h"

namespace pilotlight {

/// The wait after the first death; doubled by each further one.
inline constexpr std::chrono::seconds shortest_back_off{1};
inline constexpr std::chrono::minutes longest_back_off{5};

/// Waits vary by this part, so that a fleet that crashed together does not come back together.
inline constexpr double back_off_jitter = 0.1;

/// A worker that lived this long was healthy: the doubling begins anew.
inline constexpr std::chrono::minutes healthy_life{10};

/// So many deaths within so long mean that restarting does not help.
inline constexpr std::size_t deaths_to_trip = 5;
inline constexpr std::chrono::minutes trip_window{10};

class RestartPolicy {
 public:
  using TimePoint = BootClock::time_point;

  /// A worker that was started at `started` died at `died`, through nobody's wish. `jitter` is within −1 … 1.
  void record_crash(TimePoint started, TimePoint died, double jitter) noexcept;

  /// A worker could not even be started (no memory, no processes left): waits longer each time, never trips.
  void record_failed_start(TimePoint now, double jitter) noexcept;

  /// Not before this.
  [[nodiscard]] TimePoint restart_at() const noexcept { return restart_at_; }

  /// Latched: only a new policy starts again.
  [[nodiscard]] bool tripped() const noexcept { return tripped_; }

 private:
  void postpone(TimePoint from, double jitter) noexcept;

  std::array<TimePoint, deaths_to_trip> deaths_{};  ///< a ring
  std::size_t death_count_ = 0;
  unsigned doublings_ = 0;
  TimePoint restart_at_;
  bool tripped_ = false;
};

}  // namespace pilotlight
