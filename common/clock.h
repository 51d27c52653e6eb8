// SPDX-License-Identifier: Apache-2.0
//
// The two kernel clocks pilotlight decides by, as types that cannot be mixed. Never CLOCK_REALTIME: it jumps.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

namespace pilotlight {

/// std::chrono clock over clock_gettime(2); both count nanoseconds since boot.
template <clockid_t Id>
struct KernelClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<KernelClock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept {
    timespec time{};
    ::clock_gettime(Id, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }
};

/// What bpf_ktime_get_ns() reads; stands still while the machine is suspended.
using MonotonicClock = KernelClock<CLOCK_MONOTONIC>;

/// What bpf_ktime_get_boot_ns() reads; goes on while the machine is suspended.
using BootClock = KernelClock<CLOCK_BOOTTIME>;

/// Nanoseconds of a time point, as BPF programs and the arm word hold them.
template <class Clock>
std::uint64_t to_nanoseconds(std::chrono::time_point<Clock, std::chrono::nanoseconds> time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

}  // namespace pilotlight
