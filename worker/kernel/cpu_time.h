// SPDX-License-Identifier: Apache-2.0
//
// CPU time as the kernel accounts it, to hold the number of samples against.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "common/error.h"

namespace pilotlight {

/// Time of all CPUs together since boot, from the first line of /proc/stat (proc_stat(5), in USER_HZ ticks).
struct MachineCpuTime {
  std::chrono::nanoseconds idle{0};    ///< idle and iowait
  std::chrono::nanoseconds stolen{0};  ///< the hypervisor ran somebody else
  std::chrono::nanoseconds busy{0};    ///< everything else
};
std::optional<MachineCpuTime> parse_machine_cpu_time(std::string_view proc_stat);
Result<MachineCpuTime> machine_cpu_time();

/// CPU time of the living threads of a process: the first figure of /proc/PID/task/TID/schedstat, exact to
/// the nanosecond. Zero for a process that is gone.
std::chrono::nanoseconds process_cpu_time(unsigned pid);

}  // namespace pilotlight
