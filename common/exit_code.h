// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pilotlight {

/// Every exit code of both programs; the table in README.md is the same list.
enum class ExitCode : int {
  done = 0,
  failure = 1,               ///< something else went wrong; the message says what
  usage = 2,                 ///< bad command line or configuration
  recorded_nothing = 65,     ///< the profile holds no sample; the message says why
  no_such_process = 67,      ///< a process to profile does not exist
  already_running = 69,      ///< another instance holds the lock
  leftover = 71,             ///< a worker could not be killed and is still there
  killswitch_in_doubt = 75,  ///< the killswitch could not be read, which counts as engaged
  refused = 77,              ///< refused or stopped by the killswitch
  not_permitted = 78,        ///< not permitted or not supported on this machine
};

/// Codes a launched command cannot be told apart by are taken from the shell: 127 not found, 126 not
/// executable, 128 + n killed by signal n.
inline constexpr int command_not_found = 127;
inline constexpr int command_not_executable = 126;
inline constexpr int killed_by_signal_base = 128;

}  // namespace pilotlight
