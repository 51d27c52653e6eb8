// SPDX-License-Identifier: Apache-2.0
//
// Trouble of the watcher and of the supervisor itself.
#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <thread>

#include "common/killswitch.h"
#include "tests/support/private_etc.h"
#include "tests/support/requires.h"
#include "tests/system/supervisor_fixture.h"

namespace pilotlight::test {

namespace {

struct Released {
  Released() { release_killswitch(); }
};

/// A worker that runs; fails the case if there is none.
pid_t running_worker(const Supervised& supervised) {
  const pid_t worker = supervised.armed_worker();
  BOOST_REQUIRE(worker != 0);
  return worker;
}

}  // namespace

BOOST_TEST_GLOBAL_FIXTURE(PrivateEtc);

BOOST_FIXTURE_TEST_SUITE(supervisor_watcher, Released, *boost::unit_test::precondition(NeedsRoot()))

BOOST_AUTO_TEST_CASE(a_watcher_that_dies_takes_the_worker_along_and_is_replaced) {
  const Supervised supervised;
  const pid_t worker = running_worker(supervised);
  const pid_t watcher = supervised.watcher();
  BOOST_REQUIRE(watcher != 0);
  const ArmWordView word(worker);
  ::kill(watcher, SIGKILL);
  BOOST_TEST(dies(worker));
  BOOST_TEST(word.value() == 0U);
  BOOST_TEST(supervised.log_says("its watcher ended"));
  BOOST_TEST(supervised.armed_worker(worker) != 0);
  BOOST_TEST(supervised.watcher() != watcher);
  // The dead one was reaped.
  BOOST_TEST(process_state(watcher) == '\0');
}

BOOST_AUTO_TEST_CASE(a_watcher_that_falls_silent_takes_the_worker_along_and_is_replaced) {
  const Supervised supervised;
  const pid_t worker = running_worker(supervised);
  const pid_t watcher = supervised.watcher();
  ::kill(watcher, SIGSTOP);
  BOOST_TEST(dies(worker));
  BOOST_TEST(supervised.log_says("silent"));
  BOOST_TEST(dies(watcher));
  BOOST_TEST(supervised.armed_worker(worker) != 0);
}

BOOST_AUTO_TEST_CASE(watchers_that_die_at_once_are_not_started_in_a_storm) {
  const Supervised supervised;
  running_worker(supervised);
  constexpr std::chrono::seconds observed{4};
  const auto end = std::chrono::steady_clock::now() + observed;
  int killed = 0;
  pid_t last = 0;
  while (std::chrono::steady_clock::now() < end) {
    const pid_t watcher = supervised.watcher();
    if (watcher != 0 && watcher != last) {
      ::kill(watcher, SIGKILL);
      last = watcher;
      ++killed;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  BOOST_TEST(killed >= 2);
  BOOST_TEST(killed <= observed.count() + 2);
  BOOST_TEST(supervised.armed_worker() != 0);
}

BOOST_AUTO_TEST_CASE(a_watcher_ignores_what_a_service_manager_sends_to_all) {
  const Supervised supervised;
  const pid_t worker = running_worker(supervised);
  const pid_t watcher = supervised.watcher();
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) ::kill(watcher, number);
  std::this_thread::sleep_for(a_while);
  BOOST_TEST(supervised.watcher() == watcher);
  BOOST_TEST(supervised.worker() == worker);
}

BOOST_AUTO_TEST_CASE(a_replaced_watcher_still_expects_the_directory_of_the_start) {
  namespace fs = std::filesystem;
  const Supervised supervised;
  const pid_t worker = running_worker(supervised);
  fs::rename(killswitch_directory, "/etc/pilotlight-away");
  BOOST_TEST(dies(worker));
  const auto starts = supervised.starts();
  const pid_t watcher = supervised.watcher();
  ::kill(watcher, SIGKILL);
  BOOST_TEST(
      eventually([&] { return supervised.watcher() != 0 && supervised.watcher() != watcher; }, patience));
  std::this_thread::sleep_for(a_while);
  BOOST_TEST(!fs::exists(killswitch_directory));
  fs::create_directory(killswitch_directory);
  std::this_thread::sleep_for(a_while);
  BOOST_TEST(supervised.starts() == starts);
  fs::remove(killswitch_directory);
  fs::rename("/etc/pilotlight-away", killswitch_directory);
  BOOST_TEST(supervised.armed_worker(worker) != 0);
}

BOOST_AUTO_TEST_CASE(a_supervisor_that_is_killed_leaves_nothing) {
  Supervised supervised({"ignore-finish"});
  const pid_t worker = running_worker(supervised);
  const pid_t watcher = supervised.watcher();
  const ArmWordView word(worker);
  supervised.signal(SIGKILL);
  BOOST_TEST(supervised.child().exit_code(patience) == -SIGKILL);
  BOOST_TEST(dies(worker));
  BOOST_TEST(dies(watcher));
  BOOST_TEST(eventually([&] { return !word.armed(); }, patience));
}

BOOST_AUTO_TEST_CASE(a_supervisor_that_is_stopped_loses_its_lease_and_kills_when_it_goes_on) {
  const Supervised supervised;
  const pid_t worker = running_worker(supervised);
  const ArmWordView word(worker);
  supervised.signal(SIGSTOP);
  // Nobody does anything: the lease ends the collection.
  BOOST_TEST(eventually([&] { return !word.armed(); }, patience));
  BOOST_TEST(is_alive(worker));
  const auto expired = word.value();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  BOOST_TEST(word.value() == expired);
  supervised.signal(SIGCONT);
  BOOST_TEST(dies(worker));
  BOOST_TEST(word.value() == 0U);
  BOOST_TEST(supervised.log_says("lease had run out"));
  BOOST_TEST(supervised.armed_worker(worker) != 0);
  BOOST_TEST(!supervised.log_says("backing off", std::chrono::milliseconds(0)));
}

BOOST_AUTO_TEST_CASE(a_log_that_nobody_reads_does_not_delay_the_kill) {
  int ends[2] = {};
  BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd reader(ends[0]);
  const UniqueFd writer(ends[1]);
  ::fcntl(writer.get(), F_SETFL, O_NONBLOCK);
  const std::string filler(4096, 'x');
  while (::write(writer.get(), filler.data(), filler.size()) > 0) {
  }
  ::fcntl(writer.get(), F_SETFL, 0);
  const std::string full = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(writer.get());
  // The shell opens the full pipe as standard error, and becomes pilotlightd.
  const std::string bin = PILOTLIGHT_BIN_DIR;
  Child supervisor({"/bin/sh", "-c",
                    "exec " + bin + "/pilotlightd_fast_settling --worker " + bin +
                        "/worker_stand_in -- stop-itself 2>" + full});
  pid_t worker = 0;
  BOOST_REQUIRE(supervisor.pid() > 0);
  BOOST_TEST(eventually(
      [&] {
        for (const pid_t child : children_of(supervisor.pid()))
          if (process_name(child) == "worker_stand_in" && process_state(child) == 'T') worker = child;
        return worker != 0;
      },
      patience));
  BOOST_REQUIRE(worker != 0);
  engage_killswitch();
  BOOST_TEST(dies(worker));
  // It ends when asked, too, although its last lines cannot be written.
  BOOST_TEST(is_alive(supervisor.pid()));
  supervisor.signal(SIGTERM);
  BOOST_TEST(supervisor.exit_code(patience) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight::test
