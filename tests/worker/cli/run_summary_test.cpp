// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/run_summary.h"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>

namespace pilotlight {

namespace {

Profile profile() {
  Profile profile;
  profile.duration = std::chrono::milliseconds(10'000);
  profile.frequency = 99;
  profile.processes.resize(3);
  profile.accounting.samples = 1000;
  profile.accounting.expected = 1010;
  profile.accounting.frames = 5000;
  return profile;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(run_summary)

BOOST_AUTO_TEST_CASE(a_whole_profile_is_told_in_two_lines) {
  BOOST_TEST(
      summary_text(profile(), "x.svg") ==
      "1000 samples of 3 processes in 10.00 s at 99 Hz; expected 1010 (rate × CPU time)\nwrote x.svg\n");
}

BOOST_AUTO_TEST_CASE(every_figure_of_what_is_missing_is_told_by_reason) {
  Profile lossy = profile();
  lossy.accounting.lost = 1;
  lossy.accounting.missed_ticks = 2;
  lossy.accounting.process_events_lost = 3;
  lossy.accounting.truncated_broken = 40;
  lossy.accounting.truncated_depth = 5;
  lossy.accounting.truncated_unreadable = 5;
  lossy.accounting.unsymbolized_no_symbol = 60;
  lossy.accounting.unsymbolized_no_file = 7;
  lossy.accounting.unsymbolized_anonymous = 8;
  lossy.accounting.unsymbolized_no_mapping = 9;
  const std::string text = summary_text(lossy, "");
  for (const char* words : {"1 lost", "2 timer ticks", "3 process events lost", "50 (5.0 %)",
                            "40 no frame pointer", "5 too deep", "5 stack not readable", "84 (1.7 %)",
                            "60 no symbol", "7 file not readable", "8 memory without a file", "9 no mapping"})
    BOOST_TEST(text.find(words) != std::string::npos, words << " is not in: " << text);
  BOOST_TEST(text.find("wrote") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(json_has_the_same_figures) {
  Profile lossy = profile();
  lossy.accounting.truncated_depth = 5;
  const auto summary = boost::json::parse(summary_json(lossy, "a \"quoted\" name")).as_object();
  BOOST_TEST(summary.at("output").as_string() == "a \"quoted\" name");
  BOOST_TEST(summary.at("samples").to_number<int>() == 1000);
  BOOST_TEST(summary.at("samples_expected").to_number<int>() == 1010);
  BOOST_TEST(summary.at("wall_seconds").to_number<double>() == 10.0);
  BOOST_TEST(summary.at("truncated").at("too_deep").to_number<int>() == 5);
  BOOST_TEST(summary.at("unsymbolized").at("no_symbol").to_number<int>() == 0);
  BOOST_TEST(boost::json::parse(summary_json(lossy, "")).at("output").is_null());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
