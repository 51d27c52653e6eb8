// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pilotlight {

/// What the user asked for: the command line of `pilotlight`, checked.
struct Options {
  // What to profile, how long, how often.
  std::optional<std::chrono::nanoseconds>
      duration;                      ///< none: until the command or the processes end, or for ever
  std::vector<std::uint32_t> pids;   ///< empty: the whole machine, or the command
  std::vector<std::string> command;  ///< after "--"; empty: none
  std::uint32_t frequency = 0;       ///< samples per second and CPU
  bool cycles = false;               ///< sample by the hardware's cycle counter
  bool per_thread = false;
  bool kernel_stacks = true;

  // Where the profile goes.
  std::string output;                    ///< adhoc: a file, "-" for standard output; empty: a default name
  std::string format;                    ///< "svg", "folded", "pprof"; empty: by the output's ending
  bool force = false;                    ///< replace an existing file
  std::string output_directory;          ///< continuous
  std::chrono::nanoseconds interval{0};  ///< continuous: length of a window
  std::chrono::nanoseconds keep_for{0};  ///< continuous: older profiles of ours are removed
  std::uint64_t keep_bytes = 0;          ///< continuous: the oldest are removed beyond this sum

  // What is said about it.
  bool quiet = false;
  bool json_summary = false;

  bool override_killswitch = false;
  bool supervised = false;         ///< run as a worker (common/worker_contract.h)
  std::uint32_t launched_pid = 0;  ///< as a worker: the command that the guardian holds at its start; 0: none

  bool show_help = false;
  bool show_version = false;

  /// The one place that tells the two ways of working apart: an adhoc profile has an end of its own.
  [[nodiscard]] bool adhoc() const {
    return duration.has_value() || !pids.empty() || !command.empty() || launched_pid != 0;
  }
};

/// Throws FatalError(ExitCode::usage) with one line that names the offending word and what is right.
Options parse_options(const std::vector<std::string>& arguments);

/// The text of --help.
std::string help_text();

}  // namespace pilotlight
