// SPDX-License-Identifier: Apache-2.0
//
// Start and end of pilotlightd, and the ways it refuses to start.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "common/exit_code.h"
#include "tests/support/private_etc.h"
#include "tests/support/requires.h"
#include "tests/support/temporary_directory.h"
#include "tests/system/supervisor_fixture.h"

namespace pilotlight::test {

namespace {

struct Released {
  Released() { release_killswitch(); }
};

constexpr char fast[] = "pilotlightd_fast_settling";

std::string bin(const std::string& name) { return std::string(PILOTLIGHT_BIN_DIR) + "/" + name; }

int code(ExitCode exit_code) { return std::to_underlying(exit_code); }

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_TEST_GLOBAL_FIXTURE(PrivateEtc);

BOOST_FIXTURE_TEST_SUITE(supervisor_life, Released, *boost::unit_test::precondition(NeedsRoot()))

BOOST_AUTO_TEST_CASE(asked_to_end_it_lets_the_worker_finish_and_leaves_nothing) {
  for (const int number : {SIGTERM, SIGINT}) {
    Supervised supervised;
    const pid_t worker = supervised.armed_worker();
    BOOST_REQUIRE(worker != 0);
    const pid_t watcher = supervised.watcher();
    const ArmWordView word(worker);
    supervised.signal(number);
    BOOST_TEST(supervised.child().exit_code(patience) == 0);
    BOOST_TEST(supervised.worker_says("finished"));
    BOOST_TEST(word.value() == 0U);
    BOOST_TEST(!is_alive(worker));
    BOOST_TEST(dies(watcher));
    BOOST_TEST(supervised.log_says("stopped"));
    const auto group = supervised.log().find("control group is ");
    BOOST_REQUIRE(group != std::string::npos);
    const auto begin = group + std::string("control group is ").size();
    const auto path = supervised.log().substr(begin, supervised.log().find('\n', begin) - begin);
    BOOST_TEST(!std::filesystem::exists(path));
  }
}

BOOST_AUTO_TEST_CASE(a_worker_that_does_not_finish_is_killed_after_five_seconds) {
  Supervised supervised({"ignore-finish"});
  const pid_t worker = supervised.armed_worker();
  BOOST_REQUIRE(worker != 0);
  supervised.signal(SIGTERM);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  BOOST_TEST(is_alive(worker));
  BOOST_TEST(supervised.child().exit_code(patience) == 0);
  BOOST_TEST(!is_alive(worker));
  BOOST_TEST(supervised.log_says("did not finish"));
}

BOOST_AUTO_TEST_CASE(a_second_signal_does_not_wait) {
  Supervised supervised({"ignore-finish"});
  BOOST_REQUIRE(supervised.armed_worker() != 0);
  supervised.signal(SIGTERM);
  BOOST_REQUIRE(supervised.log_says("finishing"));
  supervised.signal(SIGTERM);
  BOOST_TEST(supervised.child().exit_code(std::chrono::seconds(4)) == 0);
}

BOOST_AUTO_TEST_CASE(the_switch_still_kills_a_worker_that_finishes) {
  Supervised supervised({"ignore-finish"});
  const pid_t worker = supervised.armed_worker();
  BOOST_REQUIRE(worker != 0);
  supervised.signal(SIGTERM);
  BOOST_REQUIRE(supervised.log_says("finishing"));
  engage_killswitch();
  BOOST_TEST(dies(worker, std::chrono::seconds(4)));
  BOOST_TEST(supervised.child().exit_code(patience) == 0);
}

BOOST_AUTO_TEST_CASE(it_ends_at_once_while_it_refuses) {
  engage_killswitch();
  Supervised supervised;
  BOOST_REQUIRE(supervised.log_says("engaged"));
  supervised.signal(SIGTERM);
  BOOST_TEST(supervised.child().exit_code(patience) == 0);
}

BOOST_AUTO_TEST_CASE(other_signals_change_nothing) {
  const Supervised supervised;
  const pid_t worker = supervised.armed_worker();
  BOOST_REQUIRE(worker != 0);
  for (const int number : {SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGQUIT, SIGTSTP, SIGTTOU, SIGWINCH})
    supervised.signal(number);
  std::this_thread::sleep_for(a_while);
  BOOST_TEST(supervised.worker() == worker);
}

BOOST_AUTO_TEST_CASE(a_second_one_is_refused) {
  const Supervised supervised;
  const pid_t worker = supervised.armed_worker();
  BOOST_REQUIRE(worker != 0);
  const Finished second = run_to_end({fast, "--worker", bin("worker_stand_in")}, patience);
  BOOST_TEST(second.exit_code == code(ExitCode::already_running));
  BOOST_TEST(contains(second.standard_error, "process " + std::to_string(supervised.pid())));
  BOOST_TEST(supervised.worker() == worker);
}

BOOST_AUTO_TEST_CASE(of_many_started_at_once_one_remains) {
  std::vector<std::unique_ptr<Child>> all;
  constexpr int count = 10;
  for (int i = 0; i < count; ++i)
    all.push_back(
        std::make_unique<Child>(std::vector<std::string>{fast, "--worker", bin("worker_stand_in")}));
  int refused = 0;
  BOOST_TEST(eventually(
      [&] {
        refused = 0;
        for (const auto& child : all)
          if (child->exit_code(std::chrono::milliseconds(0)) == code(ExitCode::already_running)) ++refused;
        return refused == count - 1;
      },
      patience));
}

BOOST_AUTO_TEST_CASE(a_missing_worker_is_an_error_of_usage) {
  const Finished missing = run_to_end({fast, "--worker", "/nonexistent/worker"}, patience);
  BOOST_TEST(missing.exit_code == code(ExitCode::usage));
  BOOST_TEST(contains(missing.standard_error, "/nonexistent/worker"));
  BOOST_TEST(contains(missing.standard_error, "--worker"));
  const Finished folder = run_to_end({fast, "--worker", "/etc"}, patience);
  BOOST_TEST(folder.exit_code == code(ExitCode::usage));
}

BOOST_AUTO_TEST_CASE(a_worker_that_vanishes_later_is_a_failed_start_that_is_tried_again) {
  const TemporaryDirectory directory;
  const std::string program = directory / "worker";
  std::filesystem::copy_file(bin("worker_stand_in"), program);
  const Child supervisor({fast, "--worker", program});
  BOOST_REQUIRE(eventually([&] { return contains(supervisor.standard_output(), " armed"); }, patience));
  engage_killswitch();
  BOOST_REQUIRE(eventually(
      [&] { return contains(supervisor.standard_error(), "refusing to run a worker; killswitch e"); },
      patience));
  std::filesystem::remove(program);
  release_killswitch();
  BOOST_TEST(
      eventually([&] { return contains(supervisor.standard_error(), "could not be executed: No such file"); },
                 patience));
  std::filesystem::copy_file(bin("worker_stand_in"), program);
  BOOST_TEST(eventually([&] { return count_of(supervisor.standard_output(), " armed") == 2; }, patience));
}

BOOST_AUTO_TEST_CASE(without_privileges_it_says_what_it_needs,
                     *boost::unit_test::precondition(NeedsProgram{"setpriv"})) {
  const Finished nobody = run_to_end({find_program("setpriv"), "--reuid=65534", "--regid=65534",
                                      "--clear-groups", bin(fast), "--worker", "/bin/true"},
                                     patience);
  BOOST_TEST(nobody.exit_code == code(ExitCode::not_permitted));
  BOOST_TEST(contains(nobody.standard_error, "root"));
  const Finished no_bpf = run_to_end({find_program("setpriv"), "--bounding-set=-bpf,-sys_admin",
                                      "--inh-caps=-bpf,-sys_admin", bin(fast), "--worker", "/bin/true"},
                                     patience);
  BOOST_TEST(no_bpf.exit_code == code(ExitCode::not_permitted));
  BOOST_TEST(contains(no_bpf.standard_error, "CAP_BPF"));
}

BOOST_AUTO_TEST_CASE(in_a_time_namespace_it_refuses,
                     *boost::unit_test::precondition(NeedsProgram{"unshare"})) {
  const Finished shifted = run_to_end(
      {find_program("unshare"), "--time", "--monotonic", "1000", bin(fast), "--worker", "/bin/true"},
      patience);
  BOOST_TEST(shifted.exit_code == code(ExitCode::not_permitted));
  BOOST_TEST(contains(shifted.standard_error, "time namespace"));
}

BOOST_AUTO_TEST_CASE(help_and_version_need_no_privileges_and_nothing_else) {
  const Finished help = run_to_end({fast, "--help"}, patience);
  BOOST_TEST(help.exit_code == 0);
  BOOST_TEST(contains(help.standard_output, "Examples:"));
  const Finished version = run_to_end({fast, "--version"}, patience);
  BOOST_TEST(version.exit_code == 0);
  BOOST_TEST(contains(version.standard_output, "pilotlightd "));
  const Finished wrong = run_to_end({fast, "--i-know"}, patience);
  BOOST_TEST(wrong.exit_code == code(ExitCode::usage));
  BOOST_TEST(contains(wrong.standard_error, "--i-know"));
}

BOOST_AUTO_TEST_CASE(it_says_at_the_start_how_to_stop_it) {
  const Supervised supervised;
  BOOST_TEST(supervised.log_says("touch /etc/pilotlight/killswitch"));
  BOOST_TEST(supervised.log_says("version "));
  BOOST_TEST(supervised.log_says(bin("worker_stand_in")));
}

BOOST_AUTO_TEST_CASE(closed_standard_descriptors_do_no_harm) {
  const Child supervisor(
      {"/bin/sh", "-c", "exec " + bin(fast) + " --worker " + bin("worker_stand_in") + " <&- 2>&-"});
  BOOST_TEST(eventually([&] { return contains(supervisor.standard_output(), " armed"); }, patience));
}

BOOST_AUTO_TEST_CASE(without_a_writable_control_group_it_falls_back_and_says_so,
                     *boost::unit_test::precondition(NeedsProgram{"unshare"})) {
  // Hidden below another mount, as in many containers.
  Child supervisor(
      {find_program("unshare"), "--mount", "/bin/sh", "-c",
       "mount -t tmpfs none /sys/fs/cgroup && exec " + bin(fast) + " --worker " + bin("worker_stand_in")});
  BOOST_REQUIRE(eventually([&] { return contains(supervisor.standard_output(), " armed"); }, patience));
  BOOST_TEST(contains(supervisor.standard_error(), "gets no control group of its own"));
  engage_killswitch();
  BOOST_TEST(
      eventually([&] { return contains(supervisor.standard_error(), "was killed by signal 9"); }, patience));
  supervisor.signal(SIGTERM);
  BOOST_TEST(supervisor.exit_code(patience) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight::test
