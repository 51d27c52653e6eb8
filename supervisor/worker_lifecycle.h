// SPDX-License-Identifier: Apache-2.0
//
// What the supervisor does when: a table of State × Event. README.md holds the same table as the
// specification, and a test compares the two cell by cell. Nothing here has an effect, reads a clock or
// remembers anything.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "common/child_process.h"
#include "common/worker_contract.h"

namespace pilotlight {

enum class State : std::uint8_t {
  refusing,              ///< the switch is engaged or unknown; no worker
  settling,              ///< released, but not yet for long enough; no worker
  backing_off,           ///< the worker crashed; waiting before the next one
  confirming,            ///< all clear: one more fresh "released" and a worker is spawned
  starting,              ///< spawned, not ready
  arming,                ///< ready: one more fresh "released" and its programs are armed
  running,               ///< armed; the lease is renewed by every fresh "released"
  finishing,             ///< asked to end: the worker writes its last profile, disarmed
  killing_for_switch,    ///< killed because of the switch, not dead yet
  killing_hung,          ///< killed because it was not ready or did not beat in time
  killing_for_lease,     ///< killed because the supervisor could not keep the lease
  killing_to_quit,       ///< killed because the supervisor ends
  clearing_to_refuse,    ///< dead; its programs and descendants are not yet seen to be gone; also the first
                         ///< state
  clearing_after_crash,  ///< the same after a crash
  clearing_to_trip,      ///< the same after the last crash allowed, or an exit that a restart cannot help
  clearing_to_quit,      ///< the same while the supervisor ends
  tripped,               ///< no worker until the supervisor is started anew
  stopped,               ///< the supervisor may exit: nothing is left
  abandoned,             ///< the supervisor exits although something could not be killed
};
inline constexpr std::size_t state_count = std::to_underlying(State::abandoned) + 1U;

enum class Event : std::uint8_t {
  released,         ///< a fresh report, and nothing against it in this turn
  engaged,          ///< a report of anything but "released", a pulse, or no report in time
  timed_out,        ///< the state lasted for its limit
  spawn_failed,     ///< there is no new process
  ready,            ///< the worker sent WorkerReady
  worker_crashed,   ///< the worker is dead and reaped, and nothing excuses it
  worker_refused,   ///< it ended because it found the switch engaged, or could not read it
  worker_unusable,  ///< it ended with a code that says that the next one would end the same way
  crash_limit,      ///< that was one crash too many
  cleared,          ///< nothing of the dead worker is left
  hung,             ///< the worker's heart does not beat
  lease_lost,       ///< the lease could not be granted, or had run out before it was renewed
  quit,             ///< SIGTERM or SIGINT
  given_up,         ///< the supervisor wants to end and the worker does not die
};
inline constexpr std::size_t event_count = std::to_underlying(Event::given_up) + 1U;

/// In the order in which they are done when a cell has several: disarming comes before everything.
enum class Action : std::uint8_t {
  disarm,          ///< store 0 in the arm word
  kill,            ///< raise the worker's priority, then SIGKILL for it, its group and its control group
  insist,          ///< kill again, help its memory go, and say what is left
  finish,          ///< ControlMessage::finish and SIGTERM
  begin_clearing,  ///< kill descendants, begin to look for the programs of the dead worker
  count_crash,     ///< into the restart policy
  postpone,        ///< the next start, without counting a crash
  ask,             ///< the watcher, for a check that begins after now
  spawn,           ///< a worker
  arm,             ///< grant the lease, tell the worker
  renew,           ///< the lease
};
inline constexpr std::size_t action_count = std::to_underlying(Action::renew) + 1U;

/// A small set of actions.
class ActionSet {
 public:
  constexpr ActionSet(std::initializer_list<Action> actions) {
    for (const Action action : actions) bits_ |= bit(action);
  }
  [[nodiscard]] constexpr bool contains(Action action) const { return (bits_ & bit(action)) != 0; }
  constexpr bool operator==(const ActionSet&) const = default;

 private:
  static constexpr unsigned bit(Action action) { return 1U << std::to_underlying(action); }
  unsigned bits_ = 0;
};

struct Transition {
  State next;
  ActionSet actions;
};

/// The cell of the table.
Transition transition(State state, Event event) noexcept;

/// Which event the end of a worker is, by the exit codes of common/exit_code.h.
Event event_of(const ExitStatus& status) noexcept;

/// What the README, the tests and the log call them.
std::string_view name_of(State state) noexcept;
std::string_view name_of(Event event) noexcept;
std::string_view name_of(Action action) noexcept;

/// A process exists that may still do something.
constexpr bool has_worker(State state) { return state >= State::starting && state <= State::killing_to_quit; }
constexpr bool is_killing(State state) {
  return state >= State::killing_for_switch && state <= State::killing_to_quit;
}
constexpr bool is_clearing(State state) {
  return state >= State::clearing_to_refuse && state <= State::clearing_to_quit;
}
constexpr bool is_final(State state) { return state == State::stopped || state == State::abandoned; }

/// The heart must beat here.
constexpr bool needs_heartbeat(State state) { return state == State::arming || state == State::running; }

/// A lost answer is asked for again, a lost kill repeated, after this.
inline constexpr std::chrono::seconds repetition_period{1};

/// How long a supervisor that ends tries to get rid of its worker.
inline constexpr std::chrono::seconds quit_limit{3};

/// After how long a state times out; nothing where time does not matter. Settling and backing off are not
/// here: how long they last is no constant of theirs.
constexpr std::optional<std::chrono::milliseconds> limit_of(State state) {
  if (state == State::starting) return readiness_limit;
  if (state == State::finishing) return finish_limit;
  if (state == State::confirming || state == State::arming || is_killing(state) || is_clearing(state))
    return repetition_period;
  return std::nullopt;
}

}  // namespace pilotlight
