// SPDX-License-Identifier: Apache-2.0
#include "worker/continuous.h"

#include <unistd.h>

#include <cerrno>
#include <string>

#include "common/clock.h"
#include "common/fatal_error.h"
#include "common/log.h"
#include "worker/export/profile_directory.h"
#include "worker/profile_output.h"

namespace pilotlight {

namespace {

constexpr std::chrono::milliseconds collect_interval{250};
constexpr std::chrono::milliseconds log_limit{200};

ProfileDirectory open_directory(const Options& options) {
  const Format format = value_or_throw(format_of(options), ExitCode::usage);
  if (::access(options.output_directory.c_str(), W_OK | X_OK) != 0)
    throw FatalError(ExitCode::failure,
                     system_error("cannot write profiles to " + options.output_directory,
                                  "create it (mkdir -p), or name another --output-directory")
                         .error());
  const RetentionLimits limits{.age = std::chrono::duration_cast<std::chrono::seconds>(options.keep_for),
                               .bytes = options.keep_bytes};
  return {options.output_directory, host_name(), format, limits};
}

class Continuous {
 public:
  Continuous(const Options& options, Profiler& profiler, RunnerLink& runner)
      : profiler_(profiler),
        runner_(runner),
        directory_(open_directory(options)),
        interval_(options.interval) {}

  ExitCode run() {
    Order order = profiler_.begin();
    auto window_end = MonotonicClock::now() + interval_;
    while (order == Order::begin || order == Order::none) {
      order = runner_.wait(collect_interval);
      profiler_.collect();
      const auto now = MonotonicClock::now();
      if (now < window_end) continue;
      write_window(false);
      // Windows keep their rhythm, unless writing one took longer than a whole window.
      window_end = std::max(window_end + interval_, now);
    }
    if (order == Order::leave) return ExitCode::failure;
    profiler_.end();
    write_window(order == Order::halt);
    return order == Order::halt ? ExitCode::refused : ExitCode::done;
  }

 private:
  void write_window(bool quickly) {
    Profile profile = profiler_.cut();
    if (profile.samples.empty()) {
      log(Severity::info, "no samples in the last window: nothing was written");
      return;
    }
    profiler_.name_frames(profile, quickly);
    const auto written = directory_.write(profile);
    if (!written) {
      log(Severity::error, written.error().message());
      return;
    }
    if (written->removal_failure) log(Severity::warning, written->removal_failure->message());
    log(Severity::info,
        "wrote " + written->path + ": " + std::to_string(profile.accounting.samples) + " samples, " +
            std::to_string(profile.accounting.lost) + " lost, " + std::to_string(written->bytes) + " bytes" +
            (written->removed == 0 ? "" : "; removed " + std::to_string(written->removed) + " old"));
  }

  Profiler& profiler_;
  RunnerLink& runner_;
  ProfileDirectory directory_;
  std::chrono::nanoseconds interval_;
};

}  // namespace

ExitCode collect_profiles_continuously(const Options& options, Profiler& profiler, RunnerLink& runner) {
  start_log("pilotlight", options.quiet ? Severity::warning : Severity::info);
  const ExitCode code = Continuous(options, profiler, runner).run();
  drain_log(log_limit);
  return code;
}

}  // namespace pilotlight
