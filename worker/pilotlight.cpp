// SPDX-License-Identifier: Apache-2.0
#include "worker/pilotlight.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "common/fatal_error.h"
#include "common/version.h"
#include "worker/adhoc.h"
#include "worker/cli/options.h"
#include "worker/continuous.h"
#include "worker/guardian/guardian.h"
#include "worker/guardian/switch_gate.h"
#include "worker/kernel/preflight.h"
#include "worker/profile_output.h"
#include "worker/profiler.h"
#include "worker/runner_link.h"

namespace pilotlight {

namespace {

/// The worker proper: started by pilotlightd, or by our own guardian.
ExitCode run_worker(const Options& options) {
  refuse_if_engaged(options.override_killswitch);
  RunnerLink runner = RunnerLink::adopt();
  Profiler profiler(options, runner);
  return options.adhoc() ? collect_profiles_adhoc(options, profiler, runner)
                         : collect_profiles_continuously(options, profiler, runner);
}

/// The user's words for the worker: all but the command, which stays with the guardian.
std::vector<std::string> without_command(const std::vector<std::string>& arguments) {
  return {arguments.begin(), std::ranges::find(arguments, "--")};
}

}  // namespace

int run_pilotlight(const std::vector<std::string>& arguments) {
  const Options options = parse_options(arguments);
  if (options.show_help) {
    std::fputs(help_text().c_str(), stdout);
    return 0;
  }
  if (options.show_version) {
    std::printf("pilotlight %s\n", version);
    return 0;
  }
  value_or_throw(format_of(options), ExitCode::usage);
  if (options.supervised) return std::to_underlying(run_worker(options));
  // The switch first: refused means that nothing of BPF or perf was touched.
  refuse_if_engaged(options.override_killswitch);
  value_or_throw(check_machine(), ExitCode::not_permitted);
  return run_guarded(options, without_command(arguments));
}

}  // namespace pilotlight
