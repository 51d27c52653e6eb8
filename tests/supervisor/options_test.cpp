// SPDX-License-Identifier: Apache-2.0
#include "supervisor/options.h"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "common/exit_code.h"
#include "common/fatal_error.h"

namespace pilotlight {

namespace {

Options parse(const std::vector<const char*>& arguments) {
  std::vector<const char*> all{"pilotlightd"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return parse_options(static_cast<int>(all.size()), all.data());
}

/// The message of the refusal; empty if it was accepted.
std::string refusal(const std::vector<const char*>& arguments) {
  try {
    parse(arguments);
    return {};
  } catch (const FatalError& error) {
    BOOST_TEST((error.code() == ExitCode::usage));
    return error.what();
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(options)

BOOST_AUTO_TEST_CASE(the_defaults_just_work) {
  const Options options = parse({});
  BOOST_TEST(!options.override_killswitch);
  BOOST_TEST(options.worker_options.empty());
  BOOST_TEST((options.log_level == Severity::info));
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  BOOST_TEST(options.worker == (self.parent_path() / "pilotlight").string());
}

BOOST_AUTO_TEST_CASE(the_override_takes_its_exact_spelling) {
  BOOST_TEST(parse({"--i-know-what-i-am-doing"}).override_killswitch);
  const std::string whole = "--i-know-what-i-am-doing";
  for (std::size_t length = 3; length < whole.size(); ++length)
    BOOST_TEST(!refusal({whole.substr(0, length).c_str()}).empty(), whole.substr(0, length));
  for (const char* near :
       {"--I-KNOW-WHAT-I-AM-DOING", "-i-know-what-i-am-doing", "--i-know-what-i-am-doing-",
        "--i-know-what-i-am-doing=true", "--i-know-what-i-am-doing=1", "--i-know-what-i-am-doing=", "-i",
        "i-know-what-i-am-doing", "--i_know_what_i_am_doing"})
    BOOST_TEST(!refusal({near}).empty(), near);
}

BOOST_AUTO_TEST_CASE(the_override_does_not_come_from_the_environment) {
  for (const char* name : {"I_KNOW_WHAT_I_AM_DOING", "i-know-what-i-am-doing",
                           "PILOTLIGHT_I_KNOW_WHAT_I_AM_DOING", "PILOTLIGHTD_I_KNOW_WHAT_I_AM_DOING"})
    BOOST_REQUIRE(::setenv(name, "1", 1) == 0);
  BOOST_TEST(!parse({}).override_killswitch);
}

BOOST_AUTO_TEST_CASE(the_override_behind_the_separator_is_the_workers) {
  const Options options = parse({"--", "--i-know-what-i-am-doing"});
  BOOST_TEST(!options.override_killswitch);
  BOOST_TEST(options.worker_options == std::vector<std::string>{"--i-know-what-i-am-doing"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(prefixes_of_other_options_are_refused_too) {
  for (const char* prefix : {"--work", "--log", "--vers", "--hel"})
    BOOST_TEST(contains(refusal({prefix}), prefix), prefix);
}

BOOST_AUTO_TEST_CASE(everything_behind_the_separator_goes_to_the_worker_unread) {
  const Options options =
      parse({"--log-level", "error", "--", "--frequency", "49", "--", "--help", "--nonsense"});
  BOOST_TEST(
      options.worker_options == (std::vector<std::string>{"--frequency", "49", "--", "--help", "--nonsense"}),
      boost::test_tools::per_element());
  BOOST_TEST((options.log_level == Severity::error));
  BOOST_TEST(!options.show_help);
}

BOOST_AUTO_TEST_CASE(the_workers_path_becomes_absolute) {
  const std::string here = std::filesystem::current_path();
  BOOST_TEST(parse({"--worker", "some/worker"}).worker == here + "/some/worker");
  BOOST_TEST(parse({"--worker=./worker"}).worker == here + "/worker");
  BOOST_TEST(parse({"--worker", "/opt/worker"}).worker == "/opt/worker");
}

BOOST_AUTO_TEST_CASE(errors_name_the_argument_and_the_remedy) {
  BOOST_TEST(contains(refusal({"--log-level", "loud"}), "loud"));
  BOOST_TEST(contains(refusal({"--log-level", "loud"}), "warning"));
  BOOST_TEST(contains(refusal({"--nonsense"}), "--nonsense"));
  BOOST_TEST(contains(refusal({"--worker"}), "--worker"));
  BOOST_TEST(contains(refusal({"start"}), "go after --"));
  BOOST_TEST(contains(refusal({"--nonsense"}), "--help"));
}

BOOST_AUTO_TEST_CASE(help_begins_with_examples_and_ends_with_exit_codes) {
  BOOST_TEST(parse({"--help"}).show_help);
  BOOST_TEST(parse({"-h"}).show_help);
  BOOST_TEST(parse({"--version"}).show_version);
  const std::string help = help_text();
  const auto examples = help.find("Examples:");
  const auto usage = help.find("Usage:");
  const auto options = help.find("--i-know-what-i-am-doing");
  const auto exit_codes = help.find("Exit codes:");
  BOOST_TEST(
      (examples < usage && usage < options && options < exit_codes && exit_codes != std::string::npos));
  BOOST_TEST(contains(help, "touch /etc/pilotlight/killswitch"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
