// SPDX-License-Identifier: Apache-2.0
//
// What the kernel tells about processes, as values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

namespace pilotlight {

/// A file (or a named stretch without one, "[vdso]") that processes map.
struct MappedFile {
  std::string path;      ///< without the kernel's " (deleted)"
  std::string build_id;  ///< lower-case hexadecimal; empty if not known
  bool operator==(const MappedFile&) const = default;
};

/// A stretch of executable memory.
struct MappedRegion {
  std::uint64_t start = 0;
  std::uint64_t limit = 0;        ///< first address after it
  std::uint64_t file_offset = 0;  ///< of `start`
  std::shared_ptr<const MappedFile> file;
};

struct ProcessForked {
  std::uint32_t pid = 0;
  std::uint32_t parent_pid = 0;
};
struct ProcessExecuted {
  std::uint32_t pid = 0;
};
/// The first thread of the process ended; others may still run.
struct ProcessExited {
  std::uint32_t pid = 0;
};
struct MemoryMapped {
  std::uint32_t pid = 0;
  MappedRegion region;
};
/// The buffer was full: so many notices are missing.
struct EventsLost {
  std::uint64_t count = 0;
};

struct ProcessEvent {
  std::uint64_t time_ns = 0;  ///< CLOCK_MONOTONIC
  std::variant<ProcessForked, ProcessExecuted, ProcessExited, MemoryMapped, EventsLost> what;
};

}  // namespace pilotlight
