// SPDX-License-Identifier: Apache-2.0
//
// The pivot between what was recorded and what is written: data only. Aggregation builds it with addresses,
// symbolization fills in the names, every exporter reads it. Indices refer to the vectors of the same
// Profile.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace pilotlight {

/// What kind of code a frame runs.
enum class FrameKind : std::uint8_t {
  user,    ///< a program or library
  kernel,  ///< the kernel or one of its modules
  marker,  ///< no code: says why a stack is incomplete, e.g. "[truncated]"
};

/// A stretch of one file in one or more processes' memory, as in /proc/PID/maps. The kernel is a mapping too.
struct Mapping {
  std::uint64_t start = 0;        ///< first address
  std::uint64_t limit = 0;        ///< first address after it
  std::uint64_t file_offset = 0;  ///< of `start`
  std::string path;               ///< "[kernel.kallsyms]", "[vdso]", "[anon]" where there is no file
  std::string build_id;           ///< lower-case hexadecimal; empty if there is none
  std::uint32_t pid = 0;    ///< a process that maps it, from whose root directory the path is opened; 0: ours
  bool symbolized = false;  ///< at least one frame in it got its name from it
};

struct Function {
  std::string name;         ///< for people, demangled
  std::string system_name;  ///< as in the symbol table
  std::string file;         ///< source file; empty if unknown
  std::uint32_t start_line = 0;
};

/// One source position at an address; an address inside inlined code has several.
struct Line {
  std::uint32_t function = 0;  ///< index into Profile::functions
  std::uint32_t line = 0;      ///< 0 if unknown
};

/// No mapping: an address where nothing was known to be mapped, or a marker.
inline constexpr std::uint32_t no_mapping = UINT32_MAX;

/// One distinct frame. Addresses of callers are those of the call instruction (return address minus one), so
/// that they fall into the calling line.
struct Location {
  FrameKind kind = FrameKind::user;
  std::uint32_t mapping = no_mapping;
  std::uint64_t address = 0;  ///< in the process's (or the kernel's) memory
  std::vector<Line> lines;    ///< innermost inlined function first; empty until symbolized, never empty after
};

/// Whose samples these are.
struct ProcessLabel {
  std::uint32_t pid = 0;  ///< as seen by the machine's first pid namespace
  std::string name;       ///< the process's comm when it was sampled
};

/// A distinct stack of one process (and thread name) with the number of its samples.
struct StackSample {
  std::uint32_t process = 0;             ///< index into Profile::processes
  std::string thread_name;               ///< the thread's comm when it was sampled
  std::uint32_t thread_id = 0;           ///< 0 unless the profile keeps threads apart
  std::vector<std::uint32_t> locations;  ///< indices into Profile::locations, leaf first; may be empty
  std::uint64_t count = 0;
};

/// What became of every timer tick, so that nothing is lost silently. Ticks of idle CPUs are not counted
/// here.
struct Accounting {
  std::uint64_t expected = 0;          ///< sampling frequency × CPU time that the profiled processes used
  std::uint64_t samples = 0;           ///< in the profile
  std::uint64_t lost = 0;              ///< taken, but the buffer to user space was full
  std::uint64_t missed_ticks = 0;      ///< timer ticks that came late or not at all (steal, long interrupts)
  std::uint64_t truncated_depth = 0;   ///< samples whose user stack was deeper than the limit
  std::uint64_t truncated_broken = 0;  ///< samples whose user stack ended at something that is no frame
  std::uint64_t truncated_unreadable =
      0;                     ///< samples whose user stack could not be read further (page not there)
  std::uint64_t frames = 0;  ///< in all samples
  std::uint64_t unsymbolized_no_symbol = 0;   ///< frames in a file without a symbol for the address
  std::uint64_t unsymbolized_no_file = 0;     ///< frames in a file that could not be read
  std::uint64_t unsymbolized_anonymous = 0;   ///< frames in memory without a file (JIT code)
  std::uint64_t unsymbolized_no_mapping = 0;  ///< frames where nothing was known to be mapped
  std::uint64_t process_events_lost = 0;      ///< notices of exec, mmap, fork that the kernel dropped
};

struct Profile {
  std::chrono::system_clock::time_point start;
  std::chrono::nanoseconds duration{0};
  std::uint32_t frequency = 0;  ///< samples per second and CPU

  std::vector<ProcessLabel> processes;
  std::vector<Mapping> mappings;
  std::vector<Function> functions;
  std::vector<Location> locations;
  std::vector<StackSample> samples;

  Accounting accounting;
  /// "KEY: VALUE", for formats that can show them; "host: NAME" is part of a flame graph's title.
  std::vector<std::string> comments;

  /// Time that one sample stands for.
  [[nodiscard]] std::chrono::nanoseconds period() const {
    return frequency == 0 ? std::chrono::nanoseconds(0) : std::chrono::nanoseconds(1'000'000'000 / frequency);
  }
};

}  // namespace pilotlight
