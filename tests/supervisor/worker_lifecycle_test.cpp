// SPDX-License-Identifier: Apache-2.0
#include "supervisor/worker_lifecycle.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/exit_code.h"
#include "common/file.h"

namespace pilotlight {

namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!trimmed(part).empty()) parts.push_back(trimmed(part));
  return parts;
}

template <class Value>
Value named(const std::string& name, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (name_of(static_cast<Value>(i)) == name) return static_cast<Value>(i);
  throw std::runtime_error("README.md: no such name: " + name);
}

struct Expected {
  State next{};
  std::array<bool, action_count> actions{};
};
using Specification = std::array<std::array<std::optional<Expected>, event_count>, state_count>;

/// One row "| states | events | next state | actions |".
void read_row(const std::string& line, Specification& specification) {
  constexpr std::size_t columns = 4;
  std::vector<std::string> cells;
  std::istringstream stream(line.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(trimmed(cell));
  BOOST_REQUIRE_MESSAGE(cells.size() == columns, line);
  for (const auto& state : split(cells[0], ',')) {
    for (const auto& event : split(cells[1], ',')) {
      Expected expected{.next = named<State>(cells[2], state_count)};
      for (const auto& action : split(cells[3], ','))
        expected.actions.at(std::to_underlying(named<Action>(action, action_count))) = true;
      auto& cell = specification.at(std::to_underlying(named<State>(state, state_count)))
                       .at(std::to_underlying(named<Event>(event, event_count)));
      BOOST_REQUIRE_MESSAGE(!cell, state << " on " << event << " is specified twice");
      cell = expected;
    }
  }
}

Specification read_specification() {
  Specification specification;
  std::istringstream readme(read_file(PILOTLIGHT_SUPERVISOR_README).value());
  std::string line;
  while (std::getline(readme, line) && !line.starts_with("| in state")) {
  }
  std::getline(readme, line);  // the rule below the heading
  while (std::getline(readme, line) && line.starts_with("|")) read_row(line, specification);
  return specification;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(worker_lifecycle)

BOOST_AUTO_TEST_CASE(every_cell_is_as_specified) {
  const Specification specification = read_specification();
  std::size_t specified = 0;
  for (std::size_t s = 0; s < state_count; ++s) {
    for (std::size_t e = 0; e < event_count; ++e) {
      const auto state = static_cast<State>(s);
      const auto event = static_cast<Event>(e);
      const auto& cell = specification[s][e];
      if (cell) ++specified;
      const Expected expected = cell.value_or(Expected{.next = state});
      const Transition actual = transition(state, event);
      BOOST_TEST(name_of(actual.next) == name_of(expected.next), name_of(state) << " on " << name_of(event));
      for (std::size_t a = 0; a < action_count; ++a)
        BOOST_TEST(actual.actions.contains(static_cast<Action>(a)) == expected.actions[a],
                   name_of(state) << " on " << name_of(event) << ": " << name_of(static_cast<Action>(a)));
    }
  }
  // A heading that changed would leave an empty specification, which a table that does nothing would meet.
  BOOST_TEST(specified > 80U);
}

BOOST_AUTO_TEST_CASE(disarming_comes_before_every_other_action) {
  BOOST_TEST(std::to_underlying(Action::disarm) == 0);
  BOOST_TEST(std::to_underlying(Action::kill) == 1);
}

BOOST_AUTO_TEST_CASE(exit_codes_become_the_right_events) {
  const auto exited = [](ExitCode code) {
    return name_of(event_of({.signalled = false, .value = std::to_underlying(code)}));
  };
  BOOST_TEST(exited(ExitCode::refused) == "worker_refused");
  BOOST_TEST(exited(ExitCode::killswitch_in_doubt) == "worker_refused");
  BOOST_TEST(exited(ExitCode::usage) == "worker_unusable");
  BOOST_TEST(exited(ExitCode::not_permitted) == "worker_unusable");
  BOOST_TEST(exited(ExitCode::failure) == "worker_crashed");
  // A worker that ends unasked is not well, whatever it says.
  BOOST_TEST(exited(ExitCode::done) == "worker_crashed");
  BOOST_TEST(name_of(event_of({.signalled = true, .value = 2})) == "worker_crashed");
  BOOST_TEST(name_of(event_of({.signalled = true, .value = 77})) == "worker_crashed");
}

BOOST_AUTO_TEST_CASE(states_that_wait_for_somebody_else_time_out) {
  for (std::size_t s = 0; s < state_count; ++s) {
    const auto state = static_cast<State>(s);
    const bool waits_for_somebody =
        state == State::confirming || (has_worker(state) && state != State::running) || is_clearing(state);
    BOOST_TEST(limit_of(state).has_value() == waits_for_somebody, name_of(state));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
