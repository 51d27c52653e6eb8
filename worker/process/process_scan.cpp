// SPDX-License-Identifier: Apache-2.0
#include "worker/process/process_scan.h"

#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "common/file.h"
#include "worker/process/memory_map.h"

namespace pilotlight {

namespace {

/// A field of /proc/PID/stat by its number in proc_pid_stat(5), from the third on: the name in the second may
/// hold blanks and parentheses.
std::optional<std::uint64_t> stat_field(std::uint32_t pid, int number) {
  const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!stat) return std::nullopt;
  std::size_t at = stat->rfind(')');
  for (int field = 2; field < number && at != std::string::npos; ++field) at = stat->find(' ', at + 1);
  if (at == std::string::npos) return std::nullopt;
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(stat->data() + at + 1, stat->data() + stat->size(), value);
  if (parsed.ec != std::errc()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::uint32_t> existing_processes() {
  std::vector<std::uint32_t> pids;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    std::uint32_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec == std::errc() && parsed.ptr == name.data() + name.size()) pids.push_back(pid);
  }
  return pids;
}

std::vector<MappedRegion> executable_regions(std::uint32_t pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/maps");
  if (!text) return {};
  std::vector<MappedRegion> regions;
  for (auto& mapping : parse_memory_map(*text).mappings) {
    if (!mapping.executable) continue;
    auto file = std::make_shared<MappedFile>();
    // The kernel's records of later mappings call memory without a file "//anon".
    file->path = mapping.path.empty() ? "//anon" : std::move(mapping.path);
    regions.push_back({.start = mapping.start,
                       .limit = mapping.limit,
                       .file_offset = mapping.file_offset,
                       .file = std::move(file)});
  }
  return regions;
}

bool process_exists(std::uint32_t pid) { return ::kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH; }

std::optional<std::uint64_t> process_start_ticks(std::uint32_t pid) { return stat_field(pid, 22); }

std::vector<std::uint32_t> with_descendants(std::uint32_t pid) {
  if (!process_exists(pid)) return {};
  std::unordered_multimap<std::uint32_t, std::uint32_t> children;
  for (const std::uint32_t process : existing_processes())
    if (const auto parent = stat_field(process, 4))
      children.emplace(static_cast<std::uint32_t>(*parent), process);
  std::vector<std::uint32_t> family{pid};
  // Grows while it is walked: each member's children are appended.
  for (std::size_t i = 0; i < family.size(); ++i) {
    const auto [begin, end] = children.equal_range(family[i]);
    for (auto child = begin; child != end; ++child) family.push_back(child->second);
  }
  return family;
}

}  // namespace pilotlight
