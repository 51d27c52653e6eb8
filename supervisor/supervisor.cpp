// SPDX-License-Identifier: Apache-2.0
#include "supervisor/supervisor.h"

#include <sys/wait.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <exception>
#include <utility>

#include "common/killswitch.h"
#include "common/log.h"
#include "supervisor/settling_time.h"

namespace pilotlight {

namespace {

/// Places in the array of what is waited for.
enum Source : std::size_t { signals, killswitch, death, control, execution };

constexpr std::chrono::minutes override_reminder{10};

/// The longest sleep, and only a bound: the watcher's silence ends every sleep earlier.
constexpr std::chrono::seconds longest_wait{5};

/// So many signals a turn: a flood of them must not keep the loop from the rest.
constexpr int most_signals = 16;

/// Repeats of the same complaint: at 1, 2, 4 … and then every 64.
constexpr unsigned complaint_period = 64;

/// Text and spawning need memory, which may be short. What matters has been done before, and the loop goes
/// on.
template <class Attempt>
void attempt(const Attempt& needs_memory) noexcept {
  try {
    needs_memory();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): to tell would need memory too
  }
}

/// Watchers that were replaced, helpers, and orphans that come to a supervisor that is PID 1 of a container.
/// The worker is left to its owner.
void reap_strangers(pid_t worker) noexcept {
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0 ||
        info.si_pid == worker)
      return;
    ::waitid(P_PID, static_cast<id_t>(info.si_pid), &info, WEXITED | WNOHANG);
  }
}

}  // namespace

Supervisor::Supervisor(Foundation foundation)
    : foundation_(std::move(foundation)),
      random_(std::random_device{}()),
      now_(MonotonicClock::now()),
      next_look_(now_),
      next_reminder_(now_) {
  effects_.begin({}, now_);
  state_ends_ = now_ + repetition_period;
}

ExitCode Supervisor::run() {
  while (!is_final(state_)) turn();
  if (foundation_.cgroup) foundation_.cgroup->remove();
  return state_ == State::stopped ? ExitCode::done : ExitCode::leftover;
}

void Supervisor::turn() {
  wait();
  now_ = MonotonicClock::now();
  hear_killswitch();
  hear_worker();
  hear_signals();
  hear_clocks();
  hear_clearing();
  reap_strangers(worker_ ? worker_->pid() : 0);
  attempt([this] {
    say_news();
    if (auto replaced = foundation_.killswitch.replace_watcher(now_); !replaced)
      log(Severity::error, replaced.error().message() + "; the killswitch counts as engaged meanwhile");
  });
}

void Supervisor::wait() {
  waits_[signals] = {.fd = foundation_.signals.fd(), .events = POLLIN, .revents = 0};
  waits_[killswitch] = {.fd = foundation_.killswitch.fd(), .events = POLLIN, .revents = 0};
  waits_[death] = {.fd = worker_ ? worker_->death_fd() : -1, .events = POLLIN, .revents = 0};
  waits_[control] = {.fd = worker_ ? worker_->control_fd() : -1, .events = POLLIN, .revents = 0};
  waits_[execution] = {.fd = worker_ ? worker_->execution_fd() : -1, .events = POLLIN, .revents = 0};
  const auto left = std::clamp<std::chrono::nanoseconds>(next_deadline() - MonotonicClock::now(),
                                                         std::chrono::nanoseconds::zero(), longest_wait);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  const timespec timeout{.tv_sec = seconds.count(), .tv_nsec = (left - seconds).count()};
  if (::ppoll(waits_.data(), waits_.size(), &timeout, nullptr) < 0)
    for (pollfd& entry : waits_) entry.revents = 0;
}

Supervisor::TimePoint Supervisor::next_deadline() const {
  TimePoint first = foundation_.killswitch.next_deadline();
  if (state_ends_) first = std::min(first, *state_ends_);
  if (give_up_at_) first = std::min(first, *give_up_at_);
  if (is_clearing(state_)) first = std::min(first, next_look_);
  return first;
}

// --- events ---

void Supervisor::hear_killswitch() {
  switch (foundation_.killswitch.listen(now_)) {
    case SwitchMonitor::Verdict::released:
      dispatch(Event::released);
      break;
    case SwitchMonitor::Verdict::engaged:
      dispatch(Event::engaged);
      break;
    case SwitchMonitor::Verdict::none:
      break;
  }
}

void Supervisor::hear_worker() {
  if (!worker_) return;
  if (waits_[execution].revents != 0) worker_->receive_execution();
  // Readiness before death: it names the programs whose end has to be seen.
  if (waits_[control].revents != 0 && worker_->receive_readiness(now_)) dispatch(Event::ready);
  if (waits_[death].revents == 0 && !worker_->death_is_held()) {
    if (needs_heartbeat(state_) && worker_->heart_stopped(now_)) dispatch(Event::hung);
    return;
  }
  const auto status = worker_->reap();
  if (!status) return;
  dead_ = MonotonicClock::now();
  exit_ = *status;
  execution_error_ = worker_->execution_error();
  dispatch(event_of(*status));
}

void Supervisor::hear_signals() {
  if (waits_[signals].revents == 0) return;
  for (int i = 0; i < most_signals; ++i) {
    const auto number = foundation_.signals.next();
    if (!number) return;
    if (*number == SIGTERM || *number == SIGINT) dispatch(Event::quit);
  }
}

void Supervisor::hear_clocks() {
  if (state_ends_ && now_ >= *state_ends_) dispatch(Event::timed_out);
  if (give_up_at_ && now_ >= *give_up_at_) dispatch(Event::given_up);
}

void Supervisor::hear_clearing() {
  if (!is_clearing(state_) || now_ < next_look_) return;
  const bool effects_are_gone = effects_.look();
  const bool processes_are_gone = !foundation_.cgroup || !foundation_.cgroup->populated();
  next_look_ = effects_.next_look(now_);
  if (effects_are_gone && processes_are_gone) dispatch(Event::cleared);
}

// --- actions ---

void Supervisor::dispatch(Event event) {
  step(event);
  while (consequence_) step(*std::exchange(consequence_, std::nullopt));
}

void Supervisor::step(Event event) {
  const State from = state_;
  const Transition change = transition(from, event);
  if (is_killing(change.next) && !is_killing(from)) kill_reason_known_ = now_;
  state_ = change.next;
  perform_actions(change.actions);
  if (from != state_ || event == Event::timed_out) enter(from);
  // What did not come about is told by the event that says so.
  const bool undone = consequence_ == Event::spawn_failed || consequence_ == Event::lease_lost;
  if (from != state_ && !undone) attempt([&] { say_change(from, event); });
}

void Supervisor::perform_actions(const ActionSet& actions) {
  for (std::size_t i = 0; i < action_count; ++i)
    if (const auto action = static_cast<Action>(i); actions.contains(action)) perform(action);
}

void Supervisor::perform(Action action) {
  switch (action) {
    case Action::disarm:
      foundation_.arm_word.disarm();
      // The first one after the reason for it; those that follow only make sure.
      if (disarmed_ <= kill_reason_known_) disarmed_ = MonotonicClock::now();
      break;
    case Action::kill:
      kill();
      break;
    case Action::insist:
      insist();
      break;
    case Action::finish:
      worker_->tell_to_finish();
      break;
    case Action::begin_clearing:
      begin_clearing();
      break;
    case Action::count_crash:
      count_crash();
      break;
    case Action::postpone:
      restarts_.record_failed_start(BootClock::now(), jitter());
      break;
    case Action::ask:
      foundation_.killswitch.ask(MonotonicClock::now());
      break;
    case Action::spawn:
      spawn();
      break;
    case Action::arm:
      if (foundation_.arm_word.grant())
        worker_->tell_armed();
      else
        consequence_ = Event::lease_lost;
      break;
    case Action::renew:
      if (!foundation_.arm_word.renew()) consequence_ = Event::lease_lost;
      break;
  }
}

void Supervisor::kill() noexcept {
  if (worker_) worker_->kill();
  if (foundation_.cgroup) foundation_.cgroup->kill();
}

void Supervisor::insist() {
  kill();
  ++insistences_;
  attempt([this] {
    if (worker_) worker_->release_memory();
    if (std::has_single_bit(insistences_) || insistences_ % complaint_period == 0) say_what_is_left();
  });
}

void Supervisor::begin_clearing() {
  if (foundation_.cgroup) foundation_.cgroup->kill();
  effects_.begin(worker_->programs(), now_);
  next_look_ = now_;
  worker_.reset();
}

void Supervisor::count_crash() {
  restarts_.record_crash(worker_started_, BootClock::now(), jitter());
  if (restarts_.tripped()) consequence_ = Event::crash_limit;
}

void Supervisor::spawn() {
  foundation_.arm_word.disarm();
  consequence_ = Event::spawn_failed;
  attempt([this] {
    start_error_ = "cannot start a worker: not enough memory";
    auto spawned = WorkerProcess::spawn(foundation_.command, foundation_.surroundings());
    if (!spawned) {
      start_error_ = spawned.error().message();
      return;
    }
    worker_.emplace(std::move(*spawned));
    worker_pid_ = worker_->pid();
    worker_started_ = BootClock::now();
    consequence_.reset();
  });
}

/// The deadlines of a state that was just entered, or that timed out and stays.
void Supervisor::enter(State from) {
  state_ends_.reset();
  if (const auto limit = limit_of(state_)) state_ends_ = now_ + *limit;
  if (state_ == State::settling || state_ == State::backing_off) state_ends_ = now_ + wait_of_state();
  if (from == state_) return;
  insistences_ = 0;
  const bool ending = state_ == State::killing_to_quit || state_ == State::clearing_to_quit;
  if (!ending)
    give_up_at_.reset();
  else if (!give_up_at_)
    give_up_at_ = now_ + quit_limit;
}

std::chrono::nanoseconds Supervisor::wait_of_state() const {
  const std::chrono::nanoseconds back_off = std::max<std::chrono::nanoseconds>(
      restarts_.restart_at() - BootClock::now(), std::chrono::nanoseconds::zero());
  return state_ == State::settling ? std::max<std::chrono::nanoseconds>(settling_time, back_off) : back_off;
}

double Supervisor::jitter() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }

// --- log ---

void Supervisor::say_change(State from, Event event) {
  const Announcement line = announce({.from = from,
                                      .to = state_,
                                      .event = event,
                                      .worker = worker_pid_,
                                      .killswitch = foundation_.killswitch.description(),
                                      .wait = state_ends_.value_or(now_) - now_,
                                      .start_error = start_error_,
                                      .execution_error = execution_error_,
                                      .exit = exit_,
                                      .disarmed_after = disarmed_ - kill_reason_known_,
                                      .dead_after = dead_ - kill_reason_known_});
  log(line.severity, line.text);
  if (state_ == State::refusing || state_ == State::settling || state_ == State::killing_for_switch)
    static_cast<void>(foundation_.killswitch.take_news());  // that line has told it
}

void Supervisor::say_what_is_left() {
  if (worker_) {
    log(Severity::error, "worker " + std::to_string(worker_pid_) + " is disarmed but not dead " +
                             duration_text(now_ - kill_reason_known_) +
                             " after it was killed (process state " + worker_->process_state() +
                             "); killed again, and no other is started beside it");
    return;
  }
  std::string what;
  for (const auto id : effects_.remaining())
    what += (what.empty() ? "BPF programs " : ", ") + std::to_string(id);
  if (foundation_.cgroup && foundation_.cgroup->populated())
    what += (what.empty() ? "" : " and ") + std::string("processes in ") + foundation_.cgroup->path();
  if (!what.empty())
    log(Severity::error, "LEAK: the worker is dead, but still there are " + what +
                             "; they are disarmed, and no worker is started beside them");
}

void Supervisor::say_news() {
  SwitchMonitor& monitor = foundation_.killswitch;
  const bool news = monitor.take_news();
  if (monitor.overridden()) {
    const bool released = monitor.ground() == SwitchMonitor::Ground::released;
    if (now_ >= next_reminder_ || (news && !released)) {
      log(Severity::warning, std::string("the killswitch is OVERRIDDEN by --") + override_option +
                                 "; it is " + monitor.description());
      next_reminder_ = now_ + override_reminder;
    }
  } else if (news && state_ != State::settling && !has_worker(state_)) {
    log(Severity::info, "killswitch " + monitor.description());
  }
  if (const auto reason = monitor.take_reason())
    log(Severity::warning, "the reason in the killswitch: " + *reason);
}

}  // namespace pilotlight
