// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/exit_code.h"
#include "worker/cli/options.h"
#include "worker/profiler.h"

namespace pilotlight {

/// One profile with an end of its own: after the duration, or when the runner says that the command or the
/// processes have ended, or that the user has had enough. Opens the output before sampling begins, writes it
/// whole, prints the summary. Throws FatalError before sampling.
ExitCode collect_profiles_adhoc(const Options& options, Profiler& profiler, RunnerLink& runner);

}  // namespace pilotlight
