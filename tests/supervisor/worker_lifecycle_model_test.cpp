// SPDX-License-Identifier: Apache-2.0
//
// The table against a model of the world: whatever happens in whatever order, the promises hold.
#include <boost/test/unit_test.hpp>
#include <optional>
#include <random>
#include <utility>

#include "supervisor/worker_lifecycle.h"

namespace pilotlight {

namespace {

constexpr unsigned seed = 20240607;
constexpr int turns = 200'000;

/// Worker, arm word and kernel as far as the promises speak of them. Counts what was exercised.
class World {
 public:
  void turn(std::mt19937& random) {
    at_turn_start_ = state_;
    verdict_ = std::nullopt;
    // As in the loop: switch, worker, signals, clocks; anything or nothing of each.
    switch (random() % 4) {
      case 0:
        happen(Event::engaged, random);
        break;
      case 1:
      case 2:
        happen(Event::released, random);
        break;
      default:
        break;
    }
    if (worker_ && random() % 4 == 0) worker_event(random);
    if (random() % 64 == 0) happen(Event::quit, random);
    if (random() % 3 == 0) happen(Event::timed_out, random);
    if (random() % 16 == 0) happen(Event::given_up, random);
    if (!worker_ && random() % 3 == 0) happen(Event::cleared, random);
    if (is_final(state_)) {
      BOOST_REQUIRE(!armed_);
      if (state_ == State::stopped) BOOST_REQUIRE(!worker_);
      ++ends_;
      *this = World(*this, 0);
    }
  }

  [[nodiscard]] int spawns() const { return spawns_; }
  [[nodiscard]] int renewals() const { return renewals_; }
  [[nodiscard]] int engagements_with_worker() const { return engagements_; }
  [[nodiscard]] int ends() const { return ends_; }

  World() = default;

 private:
  /// A new supervisor, with the counts of the old one.
  World(const World& before, int /*unused*/)
      : spawns_(before.spawns_),
        renewals_(before.renewals_),
        engagements_(before.engagements_),
        ends_(before.ends_) {}

  void worker_event(std::mt19937& random) {
    constexpr Event ends[] = {Event::worker_crashed, Event::worker_refused, Event::worker_unusable};
    const auto choice = random() % 8;
    if (choice < 3)
      happen(ends[choice], random);
    else if (choice == 3)
      happen(Event::hung, random);
    else
      happen(Event::ready, random);
  }

  void happen(Event event, std::mt19937& random) {
    if (event == Event::released || event == Event::engaged) verdict_ = event;
    std::optional<Event> next = event;
    while (next) {
      const bool had_worker = worker_ && !dies_by(*next);
      const Transition change = transition(state_, *next);
      state_ = change.next;
      if (dies_by(*next)) {
        BOOST_REQUIRE(change.actions.contains(Action::begin_clearing));
        worker_ = false;
      }
      const Event now = *next;
      next = act(change.actions, random);
      if (now == Event::engaged && had_worker) {
        ++engagements_;
        BOOST_REQUIRE(change.actions.contains(Action::disarm) && change.actions.contains(Action::kill));
        BOOST_REQUIRE(!armed_ && killed_);
      }
      check();
    }
  }

  static bool dies_by(Event event) {
    return event == Event::worker_crashed || event == Event::worker_refused ||
           event == Event::worker_unusable;
  }

  std::optional<Event> act(const ActionSet& actions, std::mt19937& random) {
    std::optional<Event> consequence;
    if (actions.contains(Action::disarm)) armed_ = false;
    if (actions.contains(Action::kill)) killed_ = true;
    if (actions.contains(Action::finish)) BOOST_REQUIRE(worker_ && !armed_);
    if (actions.contains(Action::count_crash) && random() % 3 == 0) consequence = Event::crash_limit;
    if (actions.contains(Action::spawn)) {
      BOOST_REQUIRE(!worker_);
      BOOST_REQUIRE(verdict_ == Event::released);
      // Not in the turn in which the release brought about anything else.
      BOOST_REQUIRE(at_turn_start_ == State::confirming);
      ++spawns_;
      killed_ = false;
      worker_ = random() % 5 != 0;
      if (!worker_) consequence = Event::spawn_failed;
    }
    if (actions.contains(Action::arm) || actions.contains(Action::renew)) {
      BOOST_REQUIRE(worker_ && !killed_);
      BOOST_REQUIRE(verdict_ == Event::released);
      BOOST_REQUIRE(actions.contains(Action::arm) || armed_);
      ++renewals_;
      armed_ = random() % 10 != 0;
      if (!armed_) consequence = Event::lease_lost;
    }
    return consequence;
  }

  void check() const {
    // What the state says of the worker is so, except between a spawn that failed and its event.
    if (worker_) BOOST_REQUIRE(has_worker(state_) || state_ == State::abandoned);
    if (armed_) BOOST_REQUIRE(state_ == State::running);
    if (is_killing(state_)) BOOST_REQUIRE(killed_);
  }

  State state_ = State::clearing_to_refuse;
  State at_turn_start_ = State::clearing_to_refuse;
  std::optional<Event> verdict_;
  bool worker_ = false;
  bool armed_ = false;
  bool killed_ = false;
  int spawns_ = 0;
  int renewals_ = 0;
  int engagements_ = 0;
  int ends_ = 0;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(worker_lifecycle_model)

BOOST_AUTO_TEST_CASE(the_promises_hold_whatever_happens) {
  std::mt19937 random(seed);
  World world;
  for (int i = 0; i < turns; ++i) world.turn(random);
  // The walk went everywhere that matters.
  BOOST_TEST(world.spawns() > 1000);
  BOOST_TEST(world.renewals() > 1000);
  BOOST_TEST(world.engagements_with_worker() > 1000);
  BOOST_TEST(world.ends() > 1000);
}

BOOST_AUTO_TEST_CASE(an_engaged_switch_leaves_no_state_that_could_start_a_worker) {
  for (std::size_t s = 0; s < state_count; ++s) {
    const State next = transition(static_cast<State>(s), Event::engaged).next;
    BOOST_TEST((next != State::settling && next != State::backing_off && next != State::confirming),
               name_of(static_cast<State>(s)));
    BOOST_TEST((next != State::starting && next != State::arming && next != State::running),
               name_of(static_cast<State>(s)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
