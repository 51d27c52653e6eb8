// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/function_table.h"

#include <boost/test/unit_test.hpp>

using namespace pilotlight;

BOOST_AUTO_TEST_SUITE(function_table)

BOOST_AUTO_TEST_CASE(each_function_is_there_once) {
  std::vector<Function> functions;
  FunctionTable table(functions, true);
  const auto first = table.add_symbol("_Z1fv");
  BOOST_TEST(table.add_symbol("_Z1fv") == first);
  BOOST_TEST(table.add_symbol("_Z1gv") != first);
  BOOST_TEST(functions.size() == 2U);
  BOOST_TEST(functions[first].name == "f()");
  BOOST_TEST(functions[first].system_name == "_Z1fv");
}

BOOST_AUTO_TEST_CASE(symbols_with_the_same_name_for_people_stay_apart) {
  std::vector<Function> functions;
  FunctionTable table(functions, true);
  BOOST_TEST(table.add_symbol("_ZN1aC1Ev") != table.add_symbol("_ZN1aC2Ev"));
  BOOST_TEST(functions[0].name == functions[1].name);
}

BOOST_AUTO_TEST_CASE(what_the_profile_has_already_is_reused) {
  std::vector<Function> functions = {{.name = "[truncated]", .system_name = "[truncated]", .file = {}},
                                     {.name = "f()", .system_name = "_Z1fv", .file = {}},
                                     {.name = "g()", .system_name = "_Z1gv", .file = "g.cpp"}};
  FunctionTable table(functions, true);
  BOOST_TEST(table.add_placeholder("[truncated]") == 0U);
  BOOST_TEST(table.add_symbol("_Z1fv") == 1U);
  BOOST_TEST(table.add_symbol("_Z1gv") == 3U);  // another file
}

BOOST_AUTO_TEST_CASE(names_stay_as_they_are_where_that_is_wanted) {
  std::vector<Function> functions;
  BOOST_TEST(FunctionTable(functions, false).add_symbol("_Z1fv") == 0U);
  BOOST_TEST(functions[0].name == "_Z1fv");
  FunctionTable(functions, true).add_placeholder("_Z1hv");
  BOOST_TEST(functions[1].name == "_Z1hv");
}

BOOST_AUTO_TEST_SUITE_END()
