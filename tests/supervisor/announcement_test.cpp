// SPDX-License-Identifier: Apache-2.0
#include "supervisor/announcement.h"

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <string>

namespace pilotlight {

namespace {

using namespace std::chrono_literals;

Situation change(State from, State to, Event event) {
  Situation situation;
  situation.from = from;
  situation.to = to;
  situation.event = event;
  situation.worker = 4711;
  return situation;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(announcement)

BOOST_AUTO_TEST_CASE(every_change_of_the_table_gives_one_line) {
  for (std::size_t s = 0; s < state_count; ++s) {
    for (std::size_t e = 0; e < event_count; ++e) {
      const auto from = static_cast<State>(s);
      const auto event = static_cast<Event>(e);
      const State to = transition(from, event).next;
      if (to == from) continue;
      const Announcement line = announce(change(from, to, event));
      BOOST_TEST(!line.text.empty(), name_of(from) << " on " << name_of(event));
      BOOST_TEST(!contains(line.text, "\n"));
      BOOST_TEST(!contains(line.text, "unknown state"));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_kill_tells_the_killswitchs_reason) {
  Situation situation = change(State::running, State::killing_for_switch, Event::engaged);
  situation.killswitch = "engaged: it is there";
  const Announcement line = announce(situation);
  BOOST_TEST((line.severity == Severity::warning));
  BOOST_TEST(contains(line.text, "4711"));
  BOOST_TEST(contains(line.text, "killswitch engaged: it is there"));
}

BOOST_AUTO_TEST_CASE(a_death_after_a_kill_tells_how_long_it_took) {
  Situation situation = change(State::killing_for_switch, State::clearing_to_refuse, Event::worker_crashed);
  situation.exit = {.signalled = true, .value = 9};
  situation.disarmed_after = 12us;
  situation.dead_after = 2500us;
  const Announcement line = announce(situation);
  BOOST_TEST((line.severity == Severity::info));
  BOOST_TEST(contains(line.text, "disarmed 0.012 ms"));
  BOOST_TEST(contains(line.text, "dead 2.5 ms"));
}

BOOST_AUTO_TEST_CASE(a_crash_is_an_error_with_its_cause) {
  Situation situation = change(State::running, State::clearing_after_crash, Event::worker_crashed);
  situation.exit = {.signalled = true, .value = 11};
  BOOST_TEST((announce(situation).severity == Severity::error));
  BOOST_TEST(contains(announce(situation).text, "signal 11 (Segmentation fault)"));
  situation.exit = {.signalled = false, .value = 127};
  BOOST_TEST(contains(announce(situation).text, "exit code 127"));
  situation.execution_error = EACCES;
  BOOST_TEST(contains(announce(situation).text, "could not be executed: Permission denied"));
}

BOOST_AUTO_TEST_CASE(durations_are_readable) {
  BOOST_TEST(duration_text(123us) == "0.123 ms");
  BOOST_TEST(duration_text(20ms) == "20 ms");
  BOOST_TEST(duration_text(2500ms) == "2.5 s");
  BOOST_TEST(duration_text(0ns) == "0 ms");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
