// SPDX-License-Identifier: Apache-2.0
//
// perf_event_open(2): the timer that samples, and the feed of process events.
#pragma once

#include <cstdint>

#include "common/error.h"
#include "common/unique_handle.h"

namespace pilotlight {

/// What makes a sample.
enum class SamplingEvent : std::uint8_t {
  cpu_clock,  ///< a high-resolution timer on each CPU; exact in number, works everywhere
  cycles,     ///< the hardware's cycle counter: also sees code that keeps interrupts off
};

/// A disabled sampling event of one CPU, all processes. `frequency` in samples per second.
Result<UniqueFd> open_sampling_event(SamplingEvent event, int cpu, std::uint32_t frequency);

/// Enables or disables one sampling event.
Result<void> enable_event(int fd);
Result<void> disable_event(int fd);

/// A running event of one CPU that samples nothing but records what processes do: exec, mmap of executable
/// memory (with build IDs from Linux 5.12 on), fork, exit. Times are CLOCK_MONOTONIC.
Result<UniqueFd> open_process_feed(int cpu);

}  // namespace pilotlight
