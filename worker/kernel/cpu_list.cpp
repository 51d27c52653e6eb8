// SPDX-License-Identifier: Apache-2.0
#include "worker/kernel/cpu_list.h"

#include <charconv>

#include "common/file.h"

namespace pilotlight {

namespace {

constexpr int most_cpus = 8192;  // NR_CPUS of the largest kernels

}  // namespace

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at < end && *at != '\n') {
    int first = 0;
    auto parsed = std::from_chars(at, end, first);
    if (parsed.ec != std::errc()) return {};
    int last = first;
    if (parsed.ptr < end && *parsed.ptr == '-') {
      parsed = std::from_chars(parsed.ptr + 1, end, last);
      if (parsed.ec != std::errc()) return {};
    }
    if (first < 0 || last < first || last >= most_cpus) return {};
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    at = parsed.ptr;
    if (at < end && *at == ',') ++at;
  }
  return cpus;
}

Result<std::vector<int>> online_cpus() {
  const auto text = read_file("/sys/devices/system/cpu/online");
  if (!text) return std::unexpected(text.error());
  auto cpus = parse_cpu_list(*text);
  if (cpus.empty()) return failure("/sys/devices/system/cpu/online names no CPU", "is /sys mounted?");
  return cpus;
}

}  // namespace pilotlight
