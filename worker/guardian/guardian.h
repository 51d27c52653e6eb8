// SPDX-License-Identifier: Apache-2.0
//
// The small parent process of a `pilotlight` run by hand. It does for one run what pilotlightd does for a
// service: holds the lease, watches the killswitch, and so keeps the switch's promise also while the
// profiling child is stuck, stopped or dead. It parses nothing that comes from a profiled process.
#pragma once

#include <string>
#include <vector>

#include "worker/cli/options.h"

namespace pilotlight {

/// Runs one worker to its end and returns the exit code of the program: the worker's own, a launched
/// command's if the profile was written, or `refused`. `worker_arguments`: the user's options, without the
/// command. Throws FatalError if it cannot start; the killswitch is looked at before anything touches BPF or
/// perf.
int run_guarded(const Options& options, const std::vector<std::string>& worker_arguments);

}  // namespace pilotlight
