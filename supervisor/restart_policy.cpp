// SPDX-License-Identifier: Apache-2.0
#include "supervisor/restart_policy.h"

#include <algorithm>
#include <cmath>

namespace pilotlight {

void RestartPolicy::record_crash(TimePoint started, TimePoint died, double jitter) noexcept {
  if (died - started >= healthy_life) doublings_ = 0;
  TimePoint& oldest = deaths_[death_count_ % deaths_.size()];
  oldest = died;
  ++death_count_;
  // The next to be overwritten is the oldest of the last deaths_to_trip.
  const TimePoint first = deaths_[death_count_ % deaths_.size()];
  if (death_count_ >= deaths_.size() && died - first <= trip_window) tripped_ = true;
  postpone(died, jitter);
}

void RestartPolicy::record_failed_start(TimePoint now, double jitter) noexcept { postpone(now, jitter); }

void RestartPolicy::postpone(TimePoint from, double jitter) noexcept {
  const std::chrono::duration<double> doubled = shortest_back_off * std::exp2(doublings_);
  const std::chrono::duration<double> wait =
      std::min<std::chrono::duration<double>>(doubled, longest_back_off);
  const double factor = 1.0 + back_off_jitter * std::clamp(jitter, -1.0, 1.0);
  restart_at_ = from + std::chrono::duration_cast<std::chrono::nanoseconds>(wait * factor);
  if (doubled < longest_back_off) ++doublings_;
}

}  // namespace pilotlight
