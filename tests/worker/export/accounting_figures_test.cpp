// SPDX-License-Identifier: Apache-2.0
#include "worker/export/accounting_figures.h"

#include <boost/test/unit_test.hpp>
#include <set>

using namespace pilotlight;

BOOST_AUTO_TEST_SUITE(accounting_figures_unit)

BOOST_AUTO_TEST_CASE(zeros_are_left_out) { BOOST_TEST(accounting_figures(Accounting{}).empty()); }

BOOST_AUTO_TEST_CASE(every_figure_is_there_once_with_its_own_name) {
  // Aggregate of nothing but counters: each gets a value of its own.
  constexpr std::size_t count = sizeof(Accounting) / sizeof(std::uint64_t);
  Accounting accounting;
  auto* const counters = reinterpret_cast<std::uint64_t*>(&accounting);
  for (std::size_t index = 0; index < count; ++index) counters[index] = 1000 + index;
  std::set<std::uint64_t> values;
  std::set<std::string_view> names;
  for (const AccountingFigure& figure : accounting_figures(accounting)) {
    values.insert(figure.value);
    names.insert(figure.name);
  }
  BOOST_TEST(values.size() == count);
  BOOST_TEST(names.size() == count);
}

BOOST_AUTO_TEST_CASE(what_was_lost_is_told_from_what_was_there) {
  Accounting accounting;
  accounting.samples = 5;
  accounting.lost = 7;
  const auto figures = accounting_figures(accounting);
  BOOST_REQUIRE(figures.size() == 2U);
  BOOST_TEST(figures[0].value == 5U);
  BOOST_TEST(!figures[0].is_loss);
  BOOST_TEST(figures[1].value == 7U);
  BOOST_TEST(figures[1].is_loss);
}

BOOST_AUTO_TEST_SUITE_END()
