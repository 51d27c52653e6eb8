// SPDX-License-Identifier: Apache-2.0
//
// What the log says about a change of state: one line, with the reason. Text only.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "common/child_process.h"
#include "common/log.h"
#include "supervisor/worker_lifecycle.h"

namespace pilotlight {

/// What is known when a state changes; members that say nothing about this change may be stale.
struct Situation {
  State from{};
  State to{};
  Event event{};
  pid_t worker = 0;
  std::string killswitch;                     ///< SwitchMonitor::description()
  std::chrono::nanoseconds wait{};            ///< how long the new state lasts: settling, backing off
  std::string start_error;                    ///< of a spawn that failed
  std::optional<int> execution_error;         ///< errno of an execution that failed
  ExitStatus exit;                            ///< of the worker
  std::chrono::nanoseconds disarmed_after{};  ///< since the event that led to the kill
  std::chrono::nanoseconds dead_after{};      ///< the same, for the death
};

struct Announcement {
  Severity severity = Severity::info;
  std::string text;
};

Announcement announce(const Situation& situation);

/// "0.123 ms" or "2.5 s".
std::string duration_text(std::chrono::nanoseconds duration);

}  // namespace pilotlight
