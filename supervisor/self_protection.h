// SPDX-License-Identifier: Apache-2.0
//
// What lets the supervisor do its work on a machine in trouble: it runs before others, the kernel does not
// choose it when memory is short, and its pages stay in memory. Each is best effort.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace pilotlight {

/// Real-time scheduling (else nice −20), oom_score_adj −900, locked memory. Returns one line for each that
/// was refused. Children start without the priority (SCHED_RESET_ON_FORK) and without locked memory.
std::vector<std::string> protect_this_process();

/// The same priority for the watcher, without which a busy machine would make it late. False if refused.
bool raise_priority(pid_t process) noexcept;

}  // namespace pilotlight
