// SPDX-License-Identifier: Apache-2.0
#include "worker/kernel/cpu_time.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>

#include "common/file.h"

namespace pilotlight {

namespace {

std::optional<std::uint64_t> take_number(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return number;
}

}  // namespace

std::optional<MachineCpuTime> parse_machine_cpu_time(std::string_view proc_stat) {
  if (!proc_stat.starts_with("cpu ")) return std::nullopt;
  proc_stat.remove_prefix(4);
  // user, nice, system, idle, iowait, irq, softirq, steal; guest time is in user already.
  std::array<std::uint64_t, 8> ticks{};
  for (auto& value : ticks) {
    const auto number = take_number(proc_stat);
    if (!number) return std::nullopt;
    value = *number;
  }
  const auto tick = std::chrono::nanoseconds(1'000'000'000 / ::sysconf(_SC_CLK_TCK));
  return MachineCpuTime{.idle = tick * (ticks[3] + ticks[4]),
                        .stolen = tick * ticks[7],
                        .busy = tick * (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6])};
}

Result<MachineCpuTime> machine_cpu_time() {
  const auto text = read_file("/proc/stat");
  if (!text) return std::unexpected(text.error());
  const auto time = parse_machine_cpu_time(*text);
  if (!time) return failure("/proc/stat does not begin with the figures of all CPUs");
  return *time;
}

std::chrono::nanoseconds process_cpu_time(unsigned pid) {
  std::chrono::nanoseconds total{0};
  std::error_code error;
  const auto tasks = "/proc/" + std::to_string(pid) + "/task";
  for (std::filesystem::directory_iterator thread(tasks, error), end; !error && thread != end;
       thread.increment(error)) {
    const auto text = read_file(thread->path().string() + "/schedstat");
    if (!text) continue;  // a thread that just ended
    std::string_view rest = *text;
    total += std::chrono::nanoseconds(take_number(rest).value_or(0));
  }
  return total;
}

}  // namespace pilotlight
