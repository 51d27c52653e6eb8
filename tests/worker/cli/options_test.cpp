// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/options.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "common/fatal_error.h"

namespace pilotlight {

using namespace std::chrono_literals;

namespace {

using Words = std::vector<std::string>;

void check_refused(const Words& words, const std::string& mention) {
  BOOST_CHECK_EXCEPTION(parse_options(words), FatalError, [&](const FatalError& error) {
    BOOST_TEST_MESSAGE(error.what());
    return error.code() == ExitCode::usage && std::string(error.what()).find(mention) != std::string::npos &&
           std::string(error.what()).find('\n') == std::string::npos;
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(options)

BOOST_AUTO_TEST_CASE(nothing_means_for_ever) {
  const Options options = parse_options({});
  BOOST_TEST(!options.adhoc());
  BOOST_TEST(options.frequency == 19U);
  BOOST_CHECK(options.interval == 60s);
  BOOST_CHECK(options.keep_for == 168h);
  BOOST_TEST(options.keep_bytes == 1073741824U);
  BOOST_TEST(options.kernel_stacks);
  BOOST_TEST(!options.override_killswitch);
}

BOOST_AUTO_TEST_CASE(a_duration_a_command_or_processes_mean_adhoc) {
  for (const Words& words : {Words{"-d", "10"}, Words{"--pid", "1"}, Words{"--", "true"}}) {
    const Options options = parse_options(words);
    BOOST_TEST(options.adhoc());
    BOOST_TEST(options.frequency == 99U);
  }
  BOOST_CHECK(parse_options({"--duration=1.5s"}).duration == 1500ms);
}

BOOST_AUTO_TEST_CASE(record_is_the_default_job) {
  BOOST_CHECK(parse_options({"record", "-d", "10"}).duration == 10s);
  check_refused({"convert", "a", "b"}, "after --");
  check_refused({"-d", "10", "record"}, "after --");
}

BOOST_AUTO_TEST_CASE(everything_after_the_dashes_is_the_command) {
  const Options options = parse_options({"-F", "999", "--", "make", "-d", "--", "x"});
  BOOST_TEST(options.command == (Words{"make", "-d", "--", "x"}), boost::test_tools::per_element());
  BOOST_TEST(!options.duration.has_value());
}

BOOST_AUTO_TEST_CASE(lists_of_processes) {
  BOOST_TEST(parse_options({"-p", "17,42", "--pid", "3"}).pids == (std::vector<std::uint32_t>{17, 42, 3}),
             boost::test_tools::per_element());
  for (const char* list : {"0", "x", "1,x", "-1", "1;2", "99999999999"})
    check_refused({"--pid", list}, "pid");
}

BOOST_AUTO_TEST_CASE(bad_values_are_named_with_what_is_right) {
  check_refused({"-d", "x"}, "--duration does not take 'x'");
  check_refused({"-F", "0"}, "1 to 10000");
  check_refused({"-F", "10001"}, "1 to 10000");
  check_refused({"-F", "many"}, "frequency");
  check_refused({"--interval", "0"}, "--interval");
  check_refused({"--keep-bytes", "none"}, "--keep-bytes");
  check_refused({"--event", "instructions"}, "cpu-clock or cycles");
  check_refused({"--summary", "xml"}, "text or json");
  check_refused({"--no-such"}, "--no-such");
  check_refused({"-d", "1", "--"}, "no command");
  check_refused({"--pid", "1", "--", "true"}, "exclude each other");
  check_refused({"-o", "x.svg"}, "--output");
}

BOOST_AUTO_TEST_CASE(the_override_has_one_spelling) {
  BOOST_TEST(parse_options({"--i-know-what-i-am-doing"}).override_killswitch);
  for (const char* word :
       {"--i-know", "--i-know-what-i-am-doin", "--i-know-what-i-am-doing=1", "--i-know-what-i-am-doing=true",
        "--I-KNOW-WHAT-I-AM-DOING", "-i-know-what-i-am-doing"})
    check_refused({word}, "");
}

BOOST_AUTO_TEST_CASE(help_names_every_option_and_code) {
  const std::string help = help_text();
  for (const char* word :
       {"--duration", "--pid", "--frequency", "--event", "--per-thread", "--output", "--format", "--force",
        "--interval", "--keep-for", "--keep-bytes", "--quiet", "--summary", "--version",
        "--i-know-what-i-am-doing", "65", "77", "/etc/pilotlight/killswitch"})
    BOOST_TEST(help.find(word) != std::string::npos, word);
  BOOST_TEST(help.find("supervised") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
