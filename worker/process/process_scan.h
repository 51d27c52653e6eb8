// SPDX-License-Identifier: Apache-2.0
//
// Processes as /proc shows them. Each function copes with processes that vanish while it looks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "worker/process/process_event.h"
#include "worker/process/process_id.h"

namespace pilotlight {

/// Pids of all processes (not threads).
std::vector<std::uint32_t> existing_processes();

/// The executable memory of a process; empty if it is gone or may not be read.
std::vector<MappedRegion> executable_regions(std::uint32_t pid);

/// False once the last thread is gone.
bool process_exists(std::uint32_t pid);

/// When a process was born, in ticks since boot (field 22 of /proc/PID/stat, proc_pid_stat(5)).
std::optional<std::uint64_t> process_start_ticks(std::uint32_t pid);

/// A process and all its present descendants, itself first. Empty if it does not exist.
std::vector<std::uint32_t> with_descendants(std::uint32_t pid);

}  // namespace pilotlight
