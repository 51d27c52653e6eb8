// SPDX-License-Identifier: Apache-2.0
#include "worker/kernel/cpu_list.h"

#include <boost/test/unit_test.hpp>

namespace pilotlight {

BOOST_AUTO_TEST_SUITE(cpu_list)

BOOST_AUTO_TEST_CASE(lists_and_ranges) {
  BOOST_TEST(parse_cpu_list("0\n") == (std::vector<int>{0}));
  BOOST_TEST(parse_cpu_list("0-3,8,10-11\n") == (std::vector<int>{0, 1, 2, 3, 8, 10, 11}));
}

BOOST_AUTO_TEST_CASE(nonsense_gives_nothing) {
  for (const char* text : {"", "\n", "x", "3-1", "-1", "0-999999999", "1-", "99999999999999999999"})
    BOOST_TEST(parse_cpu_list(text).empty(), text);
}

BOOST_AUTO_TEST_CASE(this_machine_has_a_cpu) { BOOST_TEST(!online_cpus().value().empty()); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
