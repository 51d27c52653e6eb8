// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "supervisor/worker_lifecycle.h"

namespace pilotlight {

namespace {

/// The members of an enumeration are its indices, so that no size or order is written down twice.
template <class Value>
struct Named {
  Value value;
  std::string_view name;
};

template <class Value, std::size_t Size>
constexpr bool is_in_order(const std::array<Named<Value>, Size>& names) {
  for (std::size_t i = 0; i < Size; ++i)
    if (std::to_underlying(names[i].value) != i) return false;
  return true;
}

constexpr std::array<Named<State>, state_count> state_names{{
    {.value = State::refusing, .name = "refusing"},
    {.value = State::settling, .name = "settling"},
    {.value = State::backing_off, .name = "backing_off"},
    {.value = State::confirming, .name = "confirming"},
    {.value = State::starting, .name = "starting"},
    {.value = State::arming, .name = "arming"},
    {.value = State::running, .name = "running"},
    {.value = State::finishing, .name = "finishing"},
    {.value = State::killing_for_switch, .name = "killing_for_switch"},
    {.value = State::killing_hung, .name = "killing_hung"},
    {.value = State::killing_for_lease, .name = "killing_for_lease"},
    {.value = State::killing_to_quit, .name = "killing_to_quit"},
    {.value = State::clearing_to_refuse, .name = "clearing_to_refuse"},
    {.value = State::clearing_after_crash, .name = "clearing_after_crash"},
    {.value = State::clearing_to_trip, .name = "clearing_to_trip"},
    {.value = State::clearing_to_quit, .name = "clearing_to_quit"},
    {.value = State::tripped, .name = "tripped"},
    {.value = State::stopped, .name = "stopped"},
    {.value = State::abandoned, .name = "abandoned"},
}};
static_assert(is_in_order(state_names));

constexpr std::array<Named<Event>, event_count> event_names{{
    {.value = Event::released, .name = "released"},
    {.value = Event::engaged, .name = "engaged"},
    {.value = Event::timed_out, .name = "timed_out"},
    {.value = Event::spawn_failed, .name = "spawn_failed"},
    {.value = Event::ready, .name = "ready"},
    {.value = Event::worker_crashed, .name = "worker_crashed"},
    {.value = Event::worker_refused, .name = "worker_refused"},
    {.value = Event::worker_unusable, .name = "worker_unusable"},
    {.value = Event::crash_limit, .name = "crash_limit"},
    {.value = Event::cleared, .name = "cleared"},
    {.value = Event::hung, .name = "hung"},
    {.value = Event::lease_lost, .name = "lease_lost"},
    {.value = Event::quit, .name = "quit"},
    {.value = Event::given_up, .name = "given_up"},
}};
static_assert(is_in_order(event_names));

constexpr std::array<Named<Action>, action_count> action_names{{
    {.value = Action::disarm, .name = "disarm"},
    {.value = Action::kill, .name = "kill"},
    {.value = Action::insist, .name = "insist"},
    {.value = Action::finish, .name = "finish"},
    {.value = Action::begin_clearing, .name = "begin_clearing"},
    {.value = Action::count_crash, .name = "count_crash"},
    {.value = Action::postpone, .name = "postpone"},
    {.value = Action::ask, .name = "ask"},
    {.value = Action::spawn, .name = "spawn"},
    {.value = Action::arm, .name = "arm"},
    {.value = Action::renew, .name = "renew"},
}};
static_assert(is_in_order(action_names));

}  // namespace

std::string_view name_of(State state) noexcept { return state_names[std::to_underlying(state)].name; }
std::string_view name_of(Event event) noexcept { return event_names[std::to_underlying(event)].name; }
std::string_view name_of(Action action) noexcept { return action_names[std::to_underlying(action)].name; }

}  // namespace pilotlight
