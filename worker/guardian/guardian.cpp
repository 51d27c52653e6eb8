// SPDX-License-Identifier: Apache-2.0
#include "worker/guardian/guardian.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <utility>

#include "common/clock.h"
#include "common/fatal_error.h"
#include "common/killswitch.h"
#include "common/killswitch_watcher.h"
#include "common/signals.h"
#include "worker/guardian/launched_command.h"
#include "worker/guardian/supervised_worker.h"
#include "worker/guardian/switch_gate.h"
#include "worker/guardian/target_processes.h"

namespace pilotlight {

namespace {

using Time = MonotonicClock::time_point;

constexpr std::chrono::minutes override_warning_interval{10};

void say(const std::string& line) { std::fprintf(stderr, "pilotlight: %s\n", line.c_str()); }

class Guardian {
 public:
  Guardian(const Options& options, SignalDescriptor signals, TargetProcesses targets,
           std::optional<LaunchedCommand> command, SupervisedWorker worker, KillswitchWatcher watcher)
      : overridden_(options.override_killswitch),
        has_targets_(!options.pids.empty()),
        json_summary_(options.json_summary),
        signals_(std::move(signals)),
        targets_(std::move(targets)),
        command_(std::move(command)),
        worker_(std::move(worker)),
        watcher_(std::move(watcher)) {}

  int run() {
    while (!worker_status_) {
      wait();
      // The switch before everything else: whatever happened at the same time can wait.
      look_at_switch();
      look_at_signals();
      look_at_worker();
      look_at_targets();
      look_at_limits();
    }
    // The switch stops the profiler, not what it looks at.
    if (command_) command_->abandon();
    return exit_code();
  }

 private:
  enum class Phase : unsigned char { starting, ready, armed, finishing, halted };

  void wait() {
    std::vector<pollfd> waits{{.fd = watcher_.fd(), .events = POLLIN, .revents = 0},
                              {.fd = signals_.fd(), .events = POLLIN, .revents = 0},
                              {.fd = worker_.pidfd(), .events = POLLIN, .revents = 0}};
    if (phase_ == Phase::starting)
      waits.push_back({.fd = worker_.control_fd(), .events = POLLIN, .revents = 0});
    if (command_ && !command_code_)
      waits.push_back({.fd = command_->pidfd(), .events = POLLIN, .revents = 0});
    for (const auto& pidfd : targets_.pidfds())
      waits.push_back({.fd = pidfd.get(), .events = POLLIN, .revents = 0});
    ::poll(waits.data(), waits.size(), next_timeout_ms());
  }

  [[nodiscard]] int next_timeout_ms() const {
    Time next = last_heard_ + watcher_silence_limit;
    if (kill_at_) next = std::min(next, *kill_at_);
    next = std::min(next, last_beat_at_ + heartbeat_limit);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next - MonotonicClock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count() + 1, 1, 1000));
  }

  void look_at_switch() {
    for (;;) {
      const auto received = watcher_.receive();
      if (received.ended)
        return on_engaged("the watcher of the killswitch has ended", ExitCode::killswitch_in_doubt);
      if (!received.report) break;
      on_report(*received.report);
    }
    if (MonotonicClock::now() - last_heard_ > watcher_silence_limit)
      on_engaged("the killswitch could not be checked in time", ExitCode::killswitch_in_doubt);
  }

  void on_report(const SwitchReport& report) {
    last_heard_ = MonotonicClock::now();
    if (report.engaged()) {
      const bool doubt = report.reading.state == SwitchState::unknown;
      on_engaged(describe(report.reading), doubt ? ExitCode::killswitch_in_doubt : ExitCode::refused);
      return;
    }
    const Time checked_at{std::chrono::nanoseconds(report.checked_at_ns)};
    if (last_heard_ - checked_at < watcher_silence_limit) on_released();
  }

  void on_released() {
    if (phase_ == Phase::ready) arm();
    if (phase_ == Phase::armed && armed_ && !worker_.arm_word().renew())
      halt("pilotlight itself was stopped for longer than its lease", ExitCode::failure);
    armed_ = phase_ == Phase::armed;
  }

  void arm() {
    if (!worker_.arm_word().grant()) return halt("the kernel refused to arm", ExitCode::failure);
    phase_ = Phase::armed;
    worker_.send(ControlMessage::armed);
    if (command_) command_->release();
  }

  void on_engaged(const std::string& reason, ExitCode code) {
    if (overridden_) {
      warn_of_override(reason);
      last_heard_ = MonotonicClock::now();
      on_released();
      return;
    }
    if (phase_ == Phase::halted) return;
    worker_.arm_word().disarm();
    halt("stopped by the killswitch: " + reason, code);
  }

  void warn_of_override(const std::string& reason) {
    const Time now = MonotonicClock::now();
    if (warned_at_ && now - *warned_at_ < override_warning_interval) return;
    warned_at_ = now;
    say("WARNING: the killswitch is engaged (" + reason + ") and overridden by --" + override_option);
  }

  void halt(const std::string& reason, ExitCode code) {
    worker_.arm_word().disarm();
    phase_ = Phase::halted;
    halt_code_ = code;
    worker_.send(ControlMessage::halt);
    kill_at_ = MonotonicClock::now() + halt_limit;
    say(reason);
  }

  void look_at_signals() {
    while (const auto number = signals_.next()) {
      if (*number == SIGINT || *number == SIGTERM || *number == SIGHUP) on_stop_request(*number);
    }
  }

  void on_stop_request(int number) {
    // A terminal sends Ctrl-C to the command by itself; kill(1) does not.
    if (command_ && !command_code_ && number == SIGTERM) command_->signal(SIGTERM);
    if (phase_ == Phase::halted) return;
    if (phase_ == Phase::finishing) {
      say("stopped again: no profile is written");
      worker_.kill();
      return;
    }
    finish();
  }

  void finish() {
    if (phase_ == Phase::halted || phase_ == Phase::finishing) return;
    phase_ = Phase::finishing;
    worker_.send(ControlMessage::finish);
  }

  void look_at_worker() {
    if (phase_ == Phase::starting && worker_.became_ready()) {
      phase_ = Phase::ready;
      // Armed only after one more look at the switch.
      watcher_.request_check();
    }
    worker_status_ = worker_.try_reap();
    if (worker_status_) worker_.arm_word().disarm();
  }

  void look_at_targets() {
    if (command_ && !command_code_) {
      command_code_ = command_->try_exit_code();
      if (command_code_) finish();
    }
    if (has_targets_ && targets_.all_ended()) finish();
  }

  void look_at_limits() {
    const Time now = MonotonicClock::now();
    if (const auto beats = worker_.heartbeats(); beats != last_beats_) {
      last_beats_ = beats;
      last_beat_at_ = now;
    }
    if (kill_at_ && now >= *kill_at_) {
      worker_.kill();
      killed_late_ = true;
      kill_at_.reset();
    }
    if (phase_ != Phase::halted && now - last_beat_at_ > heartbeat_limit) {
      halt("the profiler has hung", ExitCode::failure);
      worker_.kill();
    }
  }

  [[nodiscard]] int exit_code() const {
    if (command_ && json_summary_ && command_code_)
      std::fprintf(stderr, "{\"command_exit_code\":%d}\n", *command_code_);
    if (phase_ == Phase::halted) {
      if (killed_late_) say("no profile was written: the profiler did not answer within 2 s");
      return std::to_underlying(halt_code_);
    }
    if (worker_status_->signalled) {
      say("the profiler was killed by signal " + std::to_string(worker_status_->value) +
          "; no profile was written");
      return std::to_underlying(ExitCode::failure);
    }
    if (worker_status_->value == 0 && command_code_) return *command_code_;
    return worker_status_->value;
  }

  bool overridden_;
  bool has_targets_;
  bool json_summary_;
  SignalDescriptor signals_;
  TargetProcesses targets_;
  std::optional<LaunchedCommand> command_;
  SupervisedWorker worker_;
  KillswitchWatcher watcher_;

  Phase phase_ = Phase::starting;
  bool armed_ = false;
  bool killed_late_ = false;
  ExitCode halt_code_ = ExitCode::refused;
  Time last_heard_ = MonotonicClock::now();
  Time last_beat_at_ = MonotonicClock::now();
  std::uint64_t last_beats_ = 0;
  std::optional<Time> kill_at_;
  std::optional<Time> warned_at_;
  std::optional<int> command_code_;
  std::optional<ExitStatus> worker_status_;
};

/// The command to profile, held at its start; a command that cannot be executed ends the program here.
std::optional<LaunchedCommand> prepare_command(const Options& options) {
  if (options.command.empty()) return std::nullopt;
  auto command = LaunchedCommand::prepare(options.command);
  if (command) return std::move(*command);
  const int error = command.error().error_number;
  const int code = error == ENOENT ? command_not_found : error == EACCES ? command_not_executable : 1;
  throw FatalError(static_cast<ExitCode>(code), command.error());
}

}  // namespace

int run_guarded(const Options& options, const std::vector<std::string>& worker_arguments) {
  refuse_if_engaged(options.override_killswitch);
  auto targets = value_or_throw(TargetProcesses::open(options.pids), ExitCode::no_such_process);
  value_or_throw(verify_clock_is_the_kernels(), ExitCode::not_permitted);
  auto signals = value_or_throw(SignalDescriptor::create({SIGINT, SIGTERM, SIGHUP, SIGQUIT}));
  auto watcher = value_or_throw(KillswitchWatcher::start(KillswitchWatcher::Directory::may_be_missing));
  auto command = prepare_command(options);
  std::vector<std::string> arguments = worker_arguments;
  if (command) arguments.push_back("--launched-pid=" + std::to_string(command->pid()));
  auto worker = value_or_throw(SupervisedWorker::start(arguments), ExitCode::not_permitted);
  return Guardian(options, std::move(signals), std::move(targets), std::move(command), std::move(worker),
                  std::move(watcher))
      .run();
}

}  // namespace pilotlight
