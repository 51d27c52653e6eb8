// SPDX-License-Identifier: Apache-2.0
//
// The loop: descriptors and deadlines → events → the lifecycle table → actions. It decides nothing. Between
// the news that the switch is engaged and the disarming there is no allocation, no log line and no call that
// can block.
#pragma once

#include <poll.h>

#include <array>
#include <optional>
#include <random>
#include <string>

#include "common/clock.h"
#include "common/exit_code.h"
#include "supervisor/announcement.h"
#include "supervisor/effect_check.h"
#include "supervisor/foundation.h"
#include "supervisor/restart_policy.h"
#include "supervisor/worker_lifecycle.h"

namespace pilotlight {

class Supervisor {
 public:
  explicit Supervisor(Foundation foundation);

  /// Until SIGTERM or SIGINT. `done`, or `leftover` if something could not be killed.
  ExitCode run();

 private:
  using TimePoint = MonotonicClock::time_point;

  void turn();
  void wait();
  [[nodiscard]] TimePoint next_deadline() const;

  // What happened: each turns what it finds into events.
  void hear_killswitch();
  void hear_worker();
  void hear_signals();
  void hear_clocks();
  void hear_clearing();

  // What to do.
  void dispatch(Event event);
  void step(Event event);
  void perform(Action action);
  void perform_actions(const ActionSet& actions);
  void kill() noexcept;
  void insist();
  void begin_clearing();
  void count_crash();
  void spawn();
  void enter(State from);

  // What to say.
  void say_change(State from, Event event);
  void say_what_is_left();
  void say_news();
  [[nodiscard]] std::chrono::nanoseconds wait_of_state() const;
  [[nodiscard]] double jitter();

  Foundation foundation_;
  State state_ = State::clearing_to_refuse;  // an earlier supervisor may have left something
  std::optional<WorkerProcess> worker_;
  EffectCheck effects_;
  RestartPolicy restarts_;
  std::minstd_rand random_;
  std::optional<Event> consequence_;  ///< event that an action brought about

  std::array<pollfd, 5> waits_{};
  TimePoint now_;                        ///< of this turn
  std::optional<TimePoint> state_ends_;  ///< when timed_out is due
  std::optional<TimePoint> give_up_at_;
  TimePoint next_look_;      ///< for what is left of a dead worker
  TimePoint next_reminder_;  ///< of the override
  BootClock::time_point worker_started_;

  // For the log.
  pid_t worker_pid_ = 0;
  TimePoint kill_reason_known_;
  TimePoint disarmed_;
  TimePoint dead_;
  ExitStatus exit_;
  std::optional<int> execution_error_;
  std::string start_error_;
  unsigned insistences_ = 0;
};

}  // namespace pilotlight
