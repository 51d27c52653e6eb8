// SPDX-License-Identifier: Apache-2.0
#include "worker/export/profile_file_name.h"

#include <boost/test/unit_test.hpp>

using namespace pilotlight;

namespace {

constexpr std::chrono::sys_seconds some_time{std::chrono::seconds(1735787045)};

}  // namespace

BOOST_AUTO_TEST_SUITE(profile_file_name)

BOOST_AUTO_TEST_CASE(it_holds_host_and_time_in_utc) {
  const auto later_in_that_second = some_time + std::chrono::milliseconds(999);
  BOOST_TEST(default_file_name("web1", later_in_that_second, Format::svg) ==
             "pilotlight-web1-20250102T030405Z.svg");
  BOOST_TEST(default_file_name("web1", some_time, Format::pprof) == "pilotlight-web1-20250102T030405Z.pb.gz");
}

BOOST_AUTO_TEST_CASE(a_host_cannot_lead_out_of_the_folder) {
  BOOST_TEST(default_file_name("../a b\n", some_time, Format::folded) ==
             "pilotlight-.._a_b_-20250102T030405Z.folded");
  BOOST_TEST(default_file_name("", some_time, Format::folded) ==
             "pilotlight-unknown-20250102T030405Z.folded");
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  for (const Format format : every_format)
    for (const std::uint32_t number : {1U, 2U, 37U}) {
      const ProfileFileName name{.time = some_time, .number = number, .format = format};
      BOOST_TEST((parse_file_name("a-b.c", file_name_of("a-b.c", name)) == name));
    }
}

BOOST_AUTO_TEST_CASE(nothing_else_is_read) {
  for (const char* const name :
       {"pilotlight-web2-20250102T030405Z.svg", "pilotlight-web1-x-20250102T030405Z.svg",
        "pilotlight-web1-20250102T030405Z.svg.bak", "pilotlight-web1-20250102T030405.svg",
        "pilotlight-web1-20250102T030405Z-1.svg", "pilotlight-web1-20250102T030405Z-02.svg",
        "pilotlight-web1-20250102T030405Z-.svg", "pilotlight-web1-20250102T030405Z-2x.svg",
        "pilotlight-web1-20251302T030405Z.svg", "pilotlight-web1-20250102T030465Z.svg",
        "pilotlight-web1-20250102x030405Z.svg", "pilotlight-web1-20250102T030405Z.json",
        "pilotlight-web1-.svg", "pilotlight-web1-20250230T030405Z.svg",
        "pilotlight-web1-20250102T-30405Z.svg", "", ".svg", " pilotlight-web1-20250102T030405Z.svg",
        "pilotlight-web1-20250102T030405Z-4294967298.svg"})
    BOOST_TEST(!parse_file_name("web1", name), name);
}

BOOST_AUTO_TEST_SUITE_END()
