// SPDX-License-Identifier: Apache-2.0
// Every exit code of `pilotlight`, with the reason and the remedy that come with it.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>

#include "common/file.h"
#include "tests/support/child.h"
#include "tests/support/private_etc.h"
#include "tests/support/requires.h"
#include "tests/support/temporary_directory.h"

namespace pilotlight::test {

namespace {

using namespace std::chrono_literals;

const std::string shares = std::string(PILOTLIGHT_BIN_DIR) + "/shares";

struct ReleasedSwitch {
  ReleasedSwitch() { release_killswitch(); }
};

void check_says(const Finished& run, int exit_code, const std::vector<std::string>& words) {
  BOOST_TEST(run.exit_code == exit_code);
  for (const auto& word : words)
    BOOST_TEST(run.standard_error.find(word) != std::string::npos,
               "'" << word << "' is not in: " << run.standard_error);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(exit_code, ReleasedSwitch, *boost::unit_test::precondition(NeedsRoot()))

BOOST_AUTO_TEST_CASE(bad_usage_is_2) {
  check_says(run_to_end({"pilotlight", "--no-such-option"}), 2, {"no-such-option", "--help"});
  check_says(run_to_end({"pilotlight", "-d", "soon"}), 2, {"duration", "soon"});
  check_says(run_to_end({"pilotlight", "-F", "0"}), 2, {"frequency"});
  check_says(run_to_end({"pilotlight", "-F", "100000"}), 2, {"frequency"});
  check_says(run_to_end({"pilotlight", "--pid", "x"}), 2, {"pid"});
  check_says(run_to_end({"pilotlight", "make"}), 2, {"after --"});
  check_says(run_to_end({"pilotlight", "-d", "1", "--"}), 2, {"no command"});
  check_says(run_to_end({"pilotlight", "-d", "1", "-o", "/tmp/x.unknown"}), 2, {".svg", ".folded", ".pb.gz"});
  check_says(run_to_end({"pilotlight", "--supervised"}), 2, {"pilotlightd"});
}

BOOST_AUTO_TEST_CASE(a_prefix_of_the_override_is_no_override) {
  engage_killswitch();
  check_says(run_to_end({"pilotlight", "-d", "1", "--i-know"}), 2, {"i-know"});
  check_says(run_to_end({"pilotlight", "-d", "1", "--i-know-what-i-am-doin"}), 2, {"i-know"});
}

BOOST_AUTO_TEST_CASE(help_and_version_are_0_and_go_to_standard_output) {
  const Finished help = run_to_end({"pilotlight", "--help"});
  BOOST_TEST(help.exit_code == 0);
  BOOST_TEST(help.standard_output.find("Examples") != std::string::npos);
  BOOST_TEST(help.standard_output.find("/etc/pilotlight/killswitch") != std::string::npos);
  BOOST_TEST(run_to_end({"pilotlight", "--version"}).standard_output.starts_with("pilotlight "));
}

BOOST_AUTO_TEST_CASE(an_existing_file_is_kept_unless_forced) {
  const TemporaryDirectory folder;
  write_file(folder / "x.folded", "precious");
  check_says(run_to_end({"pilotlight", "-o", folder / "x.folded", "--", shares, "0.5"}), 1,
             {"exists", "--force"});
  BOOST_TEST(read_file(folder / "x.folded").value() == "precious");
  BOOST_TEST(
      run_to_end({"pilotlight", "--force", "-o", folder / "x.folded", "--", shares, "0.5"}).exit_code == 0);
  BOOST_TEST(read_file(folder / "x.folded").value() != "precious");
}

BOOST_AUTO_TEST_CASE(a_missing_folder_is_told_before_anything_runs) {
  check_says(run_to_end({"pilotlight", "-o", "/no/such/folder/x.svg", "--", shares, "5"}, 4s), 1,
             {"/no/such/folder"});
  check_says(run_to_end({"pilotlight", "--output-directory", "/no/such/folder"}, 4s), 1, {"/no/such/folder"});
}

BOOST_AUTO_TEST_CASE(recorded_nothing_is_65_and_leaves_no_file) {
  const TemporaryDirectory folder;
  const Child sleeper({"/bin/sleep", "60"});
  check_says(
      run_to_end({"pilotlight", "-d", "1", "--pid", std::to_string(sleeper.pid()), "-o", folder / "x.svg"}),
      65, {"recorded nothing", "no CPU time"});
  BOOST_TEST(std::filesystem::is_empty(folder.path()));
}

BOOST_AUTO_TEST_CASE(no_such_process_is_67) {
  check_says(run_to_end({"pilotlight", "-d", "1", "--pid", "999999999"}), 67, {"999999999"});
}

BOOST_AUTO_TEST_CASE(not_permitted_is_78_and_names_what_is_missing,
                     *boost::unit_test::precondition(NeedsProgram{"setpriv"})) {
  const std::string program = std::string(PILOTLIGHT_BIN_DIR) + "/pilotlight";
  // A copy where nobody can reach it.
  const TemporaryDirectory folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  std::filesystem::copy_file(program, folder / "pilotlight");
  check_says(run_to_end({find_program("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups",
                         folder / "pilotlight", "-d", "1", "-o", "/tmp/x.svg"}),
             78, {"CAP_BPF", "root"});
}

BOOST_AUTO_TEST_CASE(the_code_of_a_command_is_passed_on) {
  const TemporaryDirectory folder;
  const auto profile = [&](const std::string& script) {
    return run_to_end(
        {"pilotlight", "-F", "999", "--force", "-o", folder / "x.folded", "--", "/bin/sh", "-c", script});
  };
  BOOST_TEST(profile(shares + " 0.3; exit 7").exit_code == 7);
  BOOST_TEST(profile(shares + " 0.3; kill -9 $$").exit_code == 137);
  BOOST_TEST(profile(shares + " 0.3").exit_code == 0);
}

BOOST_AUTO_TEST_CASE(a_command_that_cannot_be_executed_is_127_or_126) {
  const TemporaryDirectory folder;
  check_says(run_to_end({"pilotlight", "-o", folder / "x.svg", "--", "no-such-command-anywhere"}), 127,
             {"no-such-command-anywhere", "PATH"});
  write_file(folder / "script", "no program");
  check_says(run_to_end({"pilotlight", "-o", folder / "x.svg", "--", folder / "script"}), 126, {"script"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight::test
