// SPDX-License-Identifier: Apache-2.0
#include "worker/adhoc.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "common/clock.h"
#include "common/fatal_error.h"
#include "worker/cli/progress.h"
#include "worker/cli/run_summary.h"
#include "worker/export/make_exporter.h"
#include "worker/profile_output.h"

namespace pilotlight {

namespace {

constexpr std::chrono::milliseconds collect_interval{100};

void complain(const std::string& line) { std::fprintf(stderr, "pilotlight: %s\n", line.c_str()); }

/// Collects until there is a reason to stop.
Order collect_until_end(const Options& options, Profiler& profiler, RunnerLink& runner) {
  const auto start = MonotonicClock::now();
  Progress progress(options.duration, !options.quiet && ::isatty(STDERR_FILENO) != 0);
  for (;;) {
    auto wait = collect_interval;
    if (options.duration) {
      const auto left = *options.duration - (MonotonicClock::now() - start);
      if (left <= std::chrono::nanoseconds(0)) return Order::finish;
      wait = std::min(wait, std::chrono::ceil<std::chrono::milliseconds>(left));
    }
    const Order order = runner.wait(wait);
    if (order != Order::none && order != Order::begin) return order;
    profiler.collect();
    progress.show(MonotonicClock::now() - start, profiler.sample_count());
  }
}

/// Why nothing was recorded, as far as it can be told.
std::string reason_of_nothing(const Options& options, const Profile& profile) {
  if (profile.accounting.lost != 0) return "every sample was lost";
  if (profile.accounting.expected == 0) {
    const bool some = !options.pids.empty() || options.launched_pid != 0;
    return some ? "the processes used no CPU time (or less than one sampling period); profile for longer, or "
                  "with a "
                  "higher --frequency"
                : "the machine was idle; profile for longer, or with a higher --frequency";
  }
  return "the sampling timer did not fire; see `dmesg`";
}

ExitCode write(const Options& options, ProfileOutput& output, const Profile& profile) {
  const auto bytes = make_exporter(output.format())(profile);
  const auto written = bytes ? output.write(*bytes) : Result<void>(std::unexpected(bytes.error()));
  if (!written) {
    complain(written.error().message());
    return ExitCode::failure;
  }
  if (options.json_summary)
    std::fputs(summary_json(profile, output.name()).c_str(), stderr);
  else if (!options.quiet)
    std::fputs(summary_text(profile, output.name()).c_str(), stderr);
  return ExitCode::done;
}

}  // namespace

ExitCode collect_profiles_adhoc(const Options& options, Profiler& profiler, RunnerLink& runner) {
  auto output = value_or_throw(ProfileOutput::open(options), ExitCode::failure);
  Order order = profiler.begin();
  if (order == Order::begin) order = collect_until_end(options, profiler, runner);
  if (order == Order::leave) return ExitCode::failure;
  profiler.end();
  Profile profile = profiler.cut();
  const bool halted = order == Order::halt;
  profiler.name_frames(profile, halted);
  if (profile.samples.empty()) {
    if (options.json_summary) std::fputs(summary_json(profile, {}).c_str(), stderr);
    complain("recorded nothing: " + (halted ? "stopped too early" : reason_of_nothing(options, profile)) +
             "; no file was written");
    return halted ? ExitCode::refused : ExitCode::recorded_nothing;
  }
  if (profiler.kernel_names_are_hidden())
    complain(
        "kernel functions have no names: allow them with CAP_SYSLOG and `sysctl kernel.kptr_restrict=1`");
  const ExitCode written = write(options, output, profile);
  return halted ? ExitCode::refused : written;
}

}  // namespace pilotlight
