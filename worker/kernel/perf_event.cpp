// SPDX-License-Identifier: Apache-2.0
#include "worker/kernel/perf_event.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <ctime>
#include <string>

namespace pilotlight {

namespace {

constexpr char permission_remedy[] = "run as root or with CAP_PERFMON (see kernel.perf_event_paranoid)";

UniqueFd open_event(perf_event_attr& attributes, int cpu) {
  attributes.size = sizeof attributes;
  constexpr int every_process = -1;
  constexpr int no_group = -1;
  return UniqueFd(static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, every_process, cpu, no_group, PERF_FLAG_FD_CLOEXEC)));
}

}  // namespace

Result<UniqueFd> open_sampling_event(SamplingEvent event, int cpu, std::uint32_t frequency) {
  perf_event_attr attributes{};
  attributes.disabled = 1;
  if (event == SamplingEvent::cpu_clock) {
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_CPU_CLOCK;
    // A fixed period: the number of ticks is then known in advance, and what is missing can be counted.
    attributes.sample_period = 1'000'000'000ULL / frequency;
    // Idle CPUs do not always deliver their ticks (seen on 6.18 in a virtual machine), so counting them tells
    // nothing.
    attributes.exclude_idle = 1;
  } else {
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_CPU_CYCLES;
    attributes.freq = 1;
    attributes.sample_freq = frequency;
  }
  auto fd = open_event(attributes, cpu);
  if (fd) return fd;
  const std::string what = "cannot sample CPU " + std::to_string(cpu);
  if (errno == EACCES || errno == EPERM) return system_error(what, permission_remedy);
  if (event == SamplingEvent::cycles)
    return system_error(what + " by its cycle counter", "this machine may have none: use --event cpu-clock");
  return system_error(what);
}

Result<void> enable_event(int fd) {
  if (::ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0) return system_error("cannot start a sampling event");
  return {};
}

Result<void> disable_event(int fd) {
  if (::ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) != 0) return system_error("cannot stop a sampling event");
  return {};
}

Result<UniqueFd> open_process_feed(int cpu) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.mmap = 1;
  attributes.mmap2 = 1;
  attributes.comm = 1;
  attributes.comm_exec = 1;
  attributes.task = 1;
  attributes.build_id = 1;
  attributes.sample_id_all = 1;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  // Nobody waits on it: it is read whenever samples are.
  attributes.watermark = 1;
  attributes.wakeup_watermark = UINT32_MAX;
  auto fd = open_event(attributes, cpu);
  if (!fd && errno == EINVAL) {
    attributes.build_id = 0;
    fd = open_event(attributes, cpu);
  }
  if (!fd)
    return system_error("cannot follow the processes of CPU " + std::to_string(cpu), permission_remedy);
  return fd;
}

}  // namespace pilotlight
