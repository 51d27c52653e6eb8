// SPDX-License-Identifier: Apache-2.0
#include "worker/export/format.h"

#include <boost/test/unit_test.hpp>

using namespace pilotlight;

BOOST_AUTO_TEST_SUITE(format)

BOOST_AUTO_TEST_CASE(every_format_is_found_by_its_name_and_its_ending) {
  for (const Format format : every_format) {
    BOOST_TEST((format_by_name(name_of(format)).value() == format));
    BOOST_TEST((format_by_file_name("/some/path.d/file" + std::string(ending_of(format))).value() == format));
  }
}

BOOST_AUTO_TEST_CASE(endings_are_what_other_programs_expect) {
  BOOST_TEST(ending_of(Format::pprof) == ".pb.gz");
  BOOST_TEST(ending_of(Format::folded) == ".folded");
  BOOST_TEST(ending_of(Format::svg) == ".svg");
}

BOOST_AUTO_TEST_CASE(an_unknown_ending_fails_and_names_the_known_ones) {
  for (const char* const path :
       {"profile.json", "profile", "", "profile.svg.bak", "profile.pprof", "profile.gz"}) {
    const auto found = format_by_file_name(path);
    BOOST_REQUIRE(!found);
    const std::string message = found.error().message();
    for (const char* const ending : {".pb.gz", ".folded", ".svg"})
      BOOST_TEST(message.find(ending) != std::string::npos);
    BOOST_TEST(message.find("'" + std::string(path) + "'") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_name_fails_and_names_the_known_ones) {
  const auto found = format_by_name("SVG");
  BOOST_REQUIRE(!found);
  BOOST_TEST(found.error().message().find("pprof, folded, svg") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
