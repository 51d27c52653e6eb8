// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/duration.h"

#include <boost/test/unit_test.hpp>

namespace pilotlight {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(duration)

BOOST_AUTO_TEST_CASE(numbers_with_and_without_a_unit) {
  BOOST_CHECK(parse_duration("10") == 10s);
  BOOST_CHECK(parse_duration("10s") == 10s);
  BOOST_CHECK(parse_duration("1.5") == 1500ms);
  BOOST_CHECK(parse_duration("500ms") == 500ms);
  BOOST_CHECK(parse_duration("2m") == 2min);
  BOOST_CHECK(parse_duration("1h") == 1h);
  BOOST_CHECK(parse_duration("7d") == 168h);
}

BOOST_AUTO_TEST_CASE(everything_else_is_refused) {
  for (const char* text : {"", "s", "0", "-1", "1x", "1 s", " 1", "1s ", "nan", "inf", "1e3", "0x10", "1,5",
                           "99999d", "0.0000000001", "1ss"})
    BOOST_TEST(!parse_duration(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(sizes_are_powers_of_1024) {
  BOOST_CHECK(parse_size("512") == 512U);
  BOOST_CHECK(parse_size("1K") == 1024U);
  BOOST_CHECK(parse_size("1.5M") == 1572864U);
  BOOST_CHECK(parse_size("2GiB") == 2147483648U);
  for (const char* text : {"", "0", "-1", "K", "1k2", "1e30", "nan", "99999999999999T"})
    BOOST_TEST(!parse_size(text).has_value(), text);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
