// SPDX-License-Identifier: Apache-2.0
//
// Log lines to standard error through Boost.Log, in a way that can never hold up the caller: a bounded queue,
// one thread that writes, and a count of what was dropped when the reader of standard error did not keep up.
#pragma once

#include <chrono>
#include <string>

namespace pilotlight {

enum class Severity { debug, info, warning, error };

/// Starts the log thread. Called once, by a main, after the signal mask is set (the thread inherits it) and
/// after any fork(2) that is not followed by an exec. `program` begins each line. Lines below `least` are not
/// queued.
void start_log(const std::string& program, Severity least);

/// Queues one line; drops and counts it if the queue is full. Before start_log() it writes directly.
void log(Severity severity, const std::string& line);

/// Waits until the queue is written or the time is over, whichever comes first. The caller then leaves by
/// _exit(2): Boost.Log's own stop() and flush() wait for ever on a blocked reader.
void drain_log(std::chrono::milliseconds limit);

}  // namespace pilotlight
