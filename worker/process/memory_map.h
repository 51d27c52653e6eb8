// SPDX-License-Identifier: Apache-2.0
//
// Parser of /proc/PID/maps (proc_pid_maps(5), fs/proc/task_mmu.c). It only reads text; opening the file is
// the caller's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pilotlight {

/// One line of /proc/PID/maps.
struct MemoryMapping {
  std::uint64_t start = 0;  ///< first address
  std::uint64_t limit = 0;  ///< first address after it
  std::uint64_t file_offset = 0;
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;
  std::uint64_t device = 0;  ///< as dev_t of stat(2); 64 bits, since minor numbers go beyond 255
  std::uint64_t inode = 0;   ///< 0 without a file
  std::string path;      ///< unescaped, without the kernel's " (deleted)"; empty for plain anonymous memory
  bool deleted = false;  ///< the file had no name any more
};

struct MemoryMap {
  std::vector<MemoryMapping> mappings;  ///< in the order of the text, which the kernel sorts by address
  std::size_t malformed = 0;            ///< lines that were skipped because they could not be understood
  std::size_t left_out = 0;             ///< good lines beyond the limit
};

/// Four times the kernel's default of vm.max_map_count.
inline constexpr std::size_t default_mapping_limit = 262'144;

MemoryMap parse_memory_map(std::string_view text, std::size_t mapping_limit = default_mapping_limit);

}  // namespace pilotlight
