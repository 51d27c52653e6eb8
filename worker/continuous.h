// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/exit_code.h"
#include "worker/cli/options.h"
#include "worker/profiler.h"

namespace pilotlight {

/// A profile every interval, into a folder that is kept within its limits, until the runner says stop.
/// Trouble with one profile (disk full, folder gone) is logged and costs that profile only. Throws FatalError
/// before sampling.
ExitCode collect_profiles_continuously(const Options& options, Profiler& profiler, RunnerLink& runner);

}  // namespace pilotlight
