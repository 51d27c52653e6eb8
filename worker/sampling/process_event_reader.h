// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "worker/process/process_event.h"

namespace pilotlight {

/// A record of the process feed (perf_event_open(2): MMAP2, COMM of an exec, FORK, EXIT, LOST) as a value;
/// nothing for records of no interest (threads, non-executable memory, plain renames) and for such as do not
/// fit their length.
std::optional<ProcessEvent> read_process_event(std::span<const std::byte> record);

}  // namespace pilotlight
