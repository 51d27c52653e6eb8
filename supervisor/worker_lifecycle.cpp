// SPDX-License-Identifier: Apache-2.0
#include "supervisor/worker_lifecycle.h"

#include <array>

#include "common/exit_code.h"

namespace pilotlight {

namespace {

using enum State;
using enum Action;

/// No default constructor: a row that forgets an event does not compile.
struct Cell {
  std::optional<State> next;  ///< nothing: the state stays
  ActionSet actions;
};

constexpr Cell go(State next, ActionSet actions = {}) { return {.next = next, .actions = actions}; }
constexpr Cell stay(ActionSet actions) { return {.next = std::nullopt, .actions = actions}; }
constexpr Cell nothing{.next = std::nullopt, .actions = {}};

/// The cells of one state, in groups that are often empty together.
struct SwitchCells {
  Cell released, engaged;
};
struct StartCells {
  Cell spawn_failed, ready;
};
struct TroubleCells {
  Cell hung, lease_lost;
};
struct EndCells {
  Cell worker_crashed, worker_refused, worker_unusable;
};
struct ClearingCells {
  Cell crash_limit, cleared;
};
struct ClockCells {
  Cell timed_out, given_up;
};
struct Row {
  State state;
  SwitchCells on_switch;
  StartCells on_start;
  TroubleCells on_trouble;
  EndCells on_end;
  ClearingCells on_clearing;
  ClockCells on_clock;
  Cell quit;

  [[nodiscard]] constexpr const Cell& on(Event event) const {
    switch (event) {
      case Event::released:
        return on_switch.released;
      case Event::engaged:
        return on_switch.engaged;
      case Event::timed_out:
        return on_clock.timed_out;
      case Event::spawn_failed:
        return on_start.spawn_failed;
      case Event::ready:
        return on_start.ready;
      case Event::worker_crashed:
        return on_end.worker_crashed;
      case Event::worker_refused:
        return on_end.worker_refused;
      case Event::worker_unusable:
        return on_end.worker_unusable;
      case Event::crash_limit:
        return on_clearing.crash_limit;
      case Event::cleared:
        return on_clearing.cleared;
      case Event::hung:
        return on_trouble.hung;
      case Event::lease_lost:
        return on_trouble.lease_lost;
      case Event::quit:
        return quit;
      case Event::given_up:
        return on_clock.given_up;
    }
    std::unreachable();
  }
};

/// What cannot happen in a state, or changes nothing there.
constexpr StartCells no_start{.spawn_failed = nothing, .ready = nothing};
constexpr TroubleCells no_trouble{.hung = nothing, .lease_lost = nothing};
constexpr EndCells no_end{.worker_crashed = nothing, .worker_refused = nothing, .worker_unusable = nothing};
constexpr ClearingCells no_clearing{.crash_limit = nothing, .cleared = nothing};

constexpr ActionSet stop_now{disarm, kill};
constexpr ActionSet bury{disarm, begin_clearing};
constexpr ActionSet bury_crashed{disarm, begin_clearing, count_crash};

constexpr std::array<Row, state_count> rows{{
    {.state = refusing,
     .on_switch = {.released = go(settling), .engaged = nothing},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = no_end,
     .on_clearing = no_clearing,
     .on_clock = {.timed_out = nothing, .given_up = nothing},
     .quit = go(stopped)},
    {.state = settling,
     .on_switch = {.released = nothing, .engaged = go(refusing)},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = no_end,
     .on_clearing = no_clearing,
     .on_clock = {.timed_out = go(confirming, {ask}), .given_up = nothing},
     .quit = go(stopped)},
    {.state = backing_off,
     .on_switch = {.released = nothing, .engaged = go(refusing)},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = no_end,
     .on_clearing = no_clearing,
     .on_clock = {.timed_out = go(confirming, {ask}), .given_up = nothing},
     .quit = go(stopped)},
    {.state = confirming,
     .on_switch = {.released = go(starting, {spawn}), .engaged = go(refusing)},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = no_end,
     .on_clearing = no_clearing,
     .on_clock = {.timed_out = stay({ask}), .given_up = nothing},
     .quit = go(stopped)},
    {.state = starting,
     .on_switch = {.released = nothing, .engaged = go(killing_for_switch, stop_now)},
     .on_start = {.spawn_failed = go(backing_off, {postpone}), .ready = go(arming, {ask})},
     .on_trouble = {.hung = go(killing_hung, stop_now), .lease_lost = go(killing_for_lease, stop_now)},
     .on_end = {.worker_crashed = go(clearing_after_crash, bury_crashed),
                .worker_refused = go(clearing_to_refuse, bury),
                .worker_unusable = go(clearing_to_trip, bury)},
     .on_clearing = no_clearing,
     .on_clock = {.timed_out = go(killing_hung, stop_now), .given_up = nothing},
     .quit = go(killing_to_quit, stop_now)},
    {.state = arming,
     .on_switch = {.released = go(running, {arm}), .engaged = go(killing_for_switch, stop_now)},
     .on_start = no_start,
     .on_trouble = {.hung = go(killing_hung, stop_now), .lease_lost = go(killing_for_lease, stop_now)},
     .on_end = {.worker_crashed = go(clearing_after_crash, bury_crashed),
                .worker_refused = go(clearing_to_refuse, bury),
                .worker_unusable = go(clearing_to_trip, bury)},
     .on_clearing = no_clearing,
     .on_clock = {.timed_out = stay({ask}), .given_up = nothing},
     .quit = go(killing_to_quit, stop_now)},
    {.state = running,
     .on_switch = {.released = stay({renew}), .engaged = go(killing_for_switch, stop_now)},
     .on_start = no_start,
     .on_trouble = {.hung = go(killing_hung, stop_now), .lease_lost = go(killing_for_lease, stop_now)},
     .on_end = {.worker_crashed = go(clearing_after_crash, bury_crashed),
                .worker_refused = go(clearing_to_refuse, bury),
                .worker_unusable = go(clearing_to_trip, bury)},
     .on_clearing = no_clearing,
     .on_clock = {.timed_out = nothing, .given_up = nothing},
     .quit = go(finishing, {disarm, finish})},
    {.state = finishing,
     .on_switch = {.released = nothing, .engaged = go(killing_to_quit, stop_now)},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = {.worker_crashed = go(clearing_to_quit, bury),
                .worker_refused = go(clearing_to_quit, bury),
                .worker_unusable = go(clearing_to_quit, bury)},
     .on_clearing = no_clearing,
     .on_clock = {.timed_out = go(killing_to_quit, stop_now), .given_up = nothing},
     .quit = go(killing_to_quit, stop_now)},
    {.state = killing_for_switch,
     .on_switch = {.released = nothing, .engaged = stay(stop_now)},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = {.worker_crashed = go(clearing_to_refuse, bury),
                .worker_refused = go(clearing_to_refuse, bury),
                .worker_unusable = go(clearing_to_refuse, bury)},
     .on_clearing = no_clearing,
     .on_clock = {.timed_out = stay({insist}), .given_up = nothing},
     .quit = go(killing_to_quit, stop_now)},
    {.state = killing_hung,
     .on_switch = {.released = nothing, .engaged = stay(stop_now)},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = {.worker_crashed = go(clearing_after_crash, bury_crashed),
                .worker_refused = go(clearing_after_crash, bury_crashed),
                .worker_unusable = go(clearing_after_crash, bury_crashed)},
     .on_clearing = no_clearing,
     .on_clock = {.timed_out = stay({insist}), .given_up = nothing},
     .quit = go(killing_to_quit, stop_now)},
    {.state = killing_for_lease,
     .on_switch = {.released = nothing, .engaged = stay(stop_now)},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = {.worker_crashed = go(clearing_to_refuse, bury),
                .worker_refused = go(clearing_to_refuse, bury),
                .worker_unusable = go(clearing_to_refuse, bury)},
     .on_clearing = no_clearing,
     .on_clock = {.timed_out = stay({insist}), .given_up = nothing},
     .quit = go(killing_to_quit, stop_now)},
    {.state = killing_to_quit,
     .on_switch = {.released = nothing, .engaged = stay(stop_now)},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = {.worker_crashed = go(clearing_to_quit, bury),
                .worker_refused = go(clearing_to_quit, bury),
                .worker_unusable = go(clearing_to_quit, bury)},
     .on_clearing = no_clearing,
     .on_clock = {.timed_out = stay({insist}), .given_up = go(abandoned)},
     .quit = stay(stop_now)},
    {.state = clearing_to_refuse,
     .on_switch = {.released = nothing, .engaged = stay(stop_now)},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = no_end,
     .on_clearing = {.crash_limit = nothing, .cleared = go(refusing, {ask})},
     .on_clock = {.timed_out = stay({insist}), .given_up = nothing},
     .quit = go(clearing_to_quit)},
    {.state = clearing_after_crash,
     .on_switch = {.released = nothing, .engaged = go(clearing_to_refuse, stop_now)},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = no_end,
     .on_clearing = {.crash_limit = go(clearing_to_trip), .cleared = go(backing_off)},
     .on_clock = {.timed_out = stay({insist}), .given_up = nothing},
     .quit = go(clearing_to_quit)},
    {.state = clearing_to_trip,
     .on_switch = {.released = nothing, .engaged = stay(stop_now)},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = no_end,
     .on_clearing = {.crash_limit = nothing, .cleared = go(tripped)},
     .on_clock = {.timed_out = stay({insist}), .given_up = nothing},
     .quit = go(clearing_to_quit)},
    {.state = clearing_to_quit,
     .on_switch = {.released = nothing, .engaged = stay(stop_now)},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = no_end,
     .on_clearing = {.crash_limit = nothing, .cleared = go(stopped)},
     .on_clock = {.timed_out = stay({insist}), .given_up = go(abandoned)},
     .quit = nothing},
    {.state = tripped,
     .on_switch = {.released = nothing, .engaged = nothing},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = no_end,
     .on_clearing = no_clearing,
     .on_clock = {.timed_out = nothing, .given_up = nothing},
     .quit = go(stopped)},
    {.state = stopped,
     .on_switch = {.released = nothing, .engaged = nothing},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = no_end,
     .on_clearing = no_clearing,
     .on_clock = {.timed_out = nothing, .given_up = nothing},
     .quit = nothing},
    {.state = abandoned,
     .on_switch = {.released = nothing, .engaged = nothing},
     .on_start = no_start,
     .on_trouble = no_trouble,
     .on_end = no_end,
     .on_clearing = no_clearing,
     .on_clock = {.timed_out = nothing, .given_up = nothing},
     .quit = nothing},
}};

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (std::to_underlying(rows[i].state) != i) return false;
  return true;
}
static_assert(rows_are_in_order());

}  // namespace

Transition transition(State state, Event event) noexcept {
  const Cell& cell = rows[std::to_underlying(state)].on(event);
  return {.next = cell.next.value_or(state), .actions = cell.actions};
}

Event event_of(const ExitStatus& status) noexcept {
  if (status.signalled) return Event::worker_crashed;
  switch (static_cast<ExitCode>(status.value)) {
    case ExitCode::refused:
    case ExitCode::killswitch_in_doubt:
      return Event::worker_refused;
    case ExitCode::usage:
    case ExitCode::not_permitted:
      return Event::worker_unusable;
    default:
      return Event::worker_crashed;
  }
}

}  // namespace pilotlight
