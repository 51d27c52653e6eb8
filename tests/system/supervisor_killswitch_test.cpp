// SPDX-License-Identifier: Apache-2.0
//
// The switch, in all its shapes, against a real pilotlightd.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>

#include "common/killswitch.h"
#include "common/unique_handle.h"
#include "tests/support/private_etc.h"
#include "tests/support/requires.h"
#include "tests/support/temporary_directory.h"
#include "tests/system/supervisor_fixture.h"

namespace pilotlight::test {

namespace {

namespace fs = std::filesystem;

struct Released {
  Released() { release_killswitch(); }
  ~Released() { release_killswitch(); }
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
};

void stays_without_worker(const Supervised& supervised) {
  std::this_thread::sleep_for(a_while);
  BOOST_TEST(supervised.worker() == 0);
  BOOST_TEST(is_alive(supervised.pid()));
}

/// Engages by `engage` while an armed worker runs: it must be disarmed and die, and come back after
/// `release`.
void kills_and_returns(const std::function<void()>& engage, const std::function<void()>& release,
                       const std::vector<std::string>& mode = {}) {
  const Supervised supervised(mode);
  const pid_t first = supervised.armed_worker();
  BOOST_REQUIRE(first != 0);
  const ArmWordView word(first);
  BOOST_TEST(word.armed());
  engage();
  BOOST_TEST(dies(first));
  BOOST_TEST(word.value() == 0U);
  stays_without_worker(supervised);
  release();
  BOOST_TEST(supervised.armed_worker(first) != 0);
}

}  // namespace

BOOST_TEST_GLOBAL_FIXTURE(PrivateEtc);

BOOST_FIXTURE_TEST_SUITE(supervisor_killswitch, Released, *boost::unit_test::precondition(NeedsRoot()))

BOOST_AUTO_TEST_CASE(engaged_at_the_start_it_stays_and_refuses_until_released) {
  engage_killswitch("maintenance until noon\n");
  const Supervised supervised;
  BOOST_TEST(supervised.log_says("refusing"));
  BOOST_TEST(supervised.log_says("maintenance until noon"));
  stays_without_worker(supervised);
  BOOST_TEST(supervised.starts() == 0U);
  release_killswitch();
  BOOST_TEST(supervised.armed_worker() != 0);
}

BOOST_AUTO_TEST_CASE(the_directory_of_the_switch_is_made_if_it_is_missing) {
  fs::remove_all(killswitch_directory);
  const Supervised supervised;
  BOOST_TEST(supervised.armed_worker() != 0);
  BOOST_TEST(fs::is_directory(killswitch_directory));
}

BOOST_AUTO_TEST_CASE(a_directory_that_cannot_be_made_counts_as_engaged) {
  fs::remove_all(killswitch_directory);
  BOOST_REQUIRE(::mount("/etc", "/etc", nullptr, MS_BIND, nullptr) == 0);
  BOOST_REQUIRE(::mount(nullptr, "/etc", nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0);
  {
    const Supervised supervised;
    BOOST_TEST(supervised.log_says("could not be made: Read-only file system"));
    stays_without_worker(supervised);
  }
  BOOST_REQUIRE(::umount("/etc") == 0);
}

BOOST_AUTO_TEST_CASE(a_file_kills_and_its_removal_starts_again) {
  kills_and_returns([] { engage_killswitch(); }, release_killswitch);
}

BOOST_AUTO_TEST_CASE(a_directory_kills) {
  kills_and_returns([] { fs::create_directory(killswitch_path); }, release_killswitch);
}

BOOST_AUTO_TEST_CASE(a_fifo_kills) {
  kills_and_returns([] { BOOST_REQUIRE(::mkfifo(killswitch_path, 0600) == 0); }, release_killswitch);
}

BOOST_AUTO_TEST_CASE(a_dangling_symbolic_link_kills) {
  kills_and_returns([] { fs::create_symlink("nowhere", killswitch_path); }, release_killswitch);
}

BOOST_AUTO_TEST_CASE(a_symbolic_link_to_itself_kills) {
  kills_and_returns([] { fs::create_symlink(killswitch_name, killswitch_path); }, release_killswitch);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_renamed_into_place_kills) {
  kills_and_returns(
      [] {
        write_file("/etc/elsewhere", "x");
        fs::rename("/etc/elsewhere", killswitch_path);
      },
      release_killswitch);
}

BOOST_AUTO_TEST_CASE(a_directory_that_is_renamed_away_kills) {
  kills_and_returns([] { fs::rename(killswitch_directory, "/etc/pilotlight-away"); },
                    [] { fs::rename("/etc/pilotlight-away", killswitch_directory); });
}

BOOST_AUTO_TEST_CASE(a_mount_over_the_directory_kills) {
  kills_and_returns(
      [] { BOOST_REQUIRE(::mount("tmpfs", killswitch_directory, "tmpfs", 0, "mode=0755") == 0); },
      [] { BOOST_REQUIRE(::umount(killswitch_directory) == 0); });
}

BOOST_AUTO_TEST_CASE(a_bind_mount_over_the_directory_kills) {
  const TemporaryDirectory other;
  kills_and_returns(
      [&] {
        BOOST_REQUIRE(::mount(other.path().c_str(), killswitch_directory, nullptr, MS_BIND, nullptr) == 0);
      },
      [] { BOOST_REQUIRE(::umount(killswitch_directory) == 0); });
}

BOOST_AUTO_TEST_CASE(a_directory_that_is_replaced_by_a_file_kills) {
  kills_and_returns(
      [] {
        fs::rename(killswitch_directory, "/etc/pilotlight-away");
        write_file(killswitch_directory, "x");
      },
      [] {
        fs::remove(killswitch_directory);
        fs::rename("/etc/pilotlight-away", killswitch_directory);
      });
}

BOOST_AUTO_TEST_CASE(a_pulse_kills_although_the_switch_is_gone_when_it_is_looked_at) {
  const Supervised supervised;
  pid_t last = supervised.armed_worker();
  for (int i = 0; i < 3; ++i) {
    BOOST_REQUIRE(last != 0);
    const UniqueFd created(::open(killswitch_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    BOOST_REQUIRE(::unlink(killswitch_path) == 0);
    BOOST_TEST(dies(last));
    last = supervised.armed_worker(last);
  }
  BOOST_TEST(last != 0);
}

BOOST_AUTO_TEST_CASE(a_flapping_switch_does_not_flap_the_worker) {
  // Off for longer than the settling time of this build, so that each release could start a worker: at most
  // one.
  const Supervised supervised;
  BOOST_REQUIRE(supervised.armed_worker() != 0);
  constexpr int flaps = 15;
  for (int i = 0; i < flaps; ++i) {
    engage_killswitch();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    release_killswitch();
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
  }
  BOOST_TEST(supervised.starts() <= flaps + 1U);
  // Faster than it settles: none at all meanwhile.
  engage_killswitch();
  BOOST_TEST(eventually([&] { return supervised.worker() == 0; }, patience));
  const auto before = supervised.starts();
  for (int i = 0; i < 50; ++i) {
    release_killswitch();
    engage_killswitch();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  BOOST_TEST(supervised.starts() == before);
  release_killswitch();
  BOOST_TEST(supervised.armed_worker() != 0);
}

BOOST_AUTO_TEST_CASE(twenty_kills_by_the_switch_are_no_crashes) {
  const Supervised supervised;
  pid_t last = 0;
  for (int i = 0; i < 20; ++i) {
    const pid_t worker = supervised.armed_worker(last);
    BOOST_REQUIRE(worker != 0);
    engage_killswitch();
    BOOST_REQUIRE(dies(worker));
    release_killswitch();
    last = worker;
  }
  BOOST_TEST(supervised.armed_worker(last) != 0);
  BOOST_TEST(!supervised.log_says("backing off", std::chrono::milliseconds(0)));
  BOOST_TEST(!supervised.log_says("tripped", std::chrono::milliseconds(0)));
}

BOOST_AUTO_TEST_CASE(a_worker_that_ignores_everything_dies) {
  kills_and_returns([] { engage_killswitch(); }, release_killswitch, {"ignore-finish"});
}

BOOST_AUTO_TEST_CASE(a_stopped_worker_dies) {
  kills_and_returns([] { engage_killswitch(); }, release_killswitch, {"stop-itself"});
}

BOOST_AUTO_TEST_CASE(a_worker_with_spinning_threads_dies) {
  kills_and_returns([] { engage_killswitch(); }, release_killswitch, {"spin", "4"});
}

BOOST_AUTO_TEST_CASE(a_worker_with_much_memory_dies) {
  kills_and_returns([] { engage_killswitch(); }, release_killswitch, {"memory", "300"});
}

BOOST_AUTO_TEST_CASE(a_worker_that_is_not_ready_yet_dies) {
  const Supervised supervised({"never-ready"});
  BOOST_REQUIRE(eventually([&] { return supervised.worker() != 0; }, patience));
  const pid_t worker = supervised.worker();
  engage_killswitch();
  BOOST_TEST(dies(worker));
  BOOST_TEST(!supervised.worker_says("armed", std::chrono::milliseconds(0)));
}

BOOST_AUTO_TEST_CASE(engaged_while_it_backs_off_a_release_starts_nothing_before_its_time) {
  const Supervised supervised({"crash"});
  // The third wait is four seconds long.
  BOOST_REQUIRE(eventually([&] { return count_of(supervised.log(), "backing off") == 3; }, patience));
  engage_killswitch();
  BOOST_TEST(supervised.log_says("refusing to run a worker; killswitch engaged"));
  release_killswitch();
  BOOST_TEST(supervised.log_says("settling: killswitch released"));
  std::this_thread::sleep_for(a_while);
  BOOST_TEST(supervised.starts() == 3U);
}

BOOST_AUTO_TEST_CASE(the_override_runs_in_spite_of_the_switch_and_says_so) {
  engage_killswitch("stop\n");
  const Supervised supervised({}, {.options = {"--i-know-what-i-am-doing"}});
  const pid_t worker = supervised.armed_worker();
  BOOST_REQUIRE(worker != 0);
  BOOST_TEST(supervised.worker_says("overrides the killswitch"));
  BOOST_TEST(supervised.log_says("OVERRIDDEN"));
  const ArmWordView word(worker);
  release_killswitch();
  BOOST_TEST(supervised.log_says("released", patience));
  const auto warnings = count_of(supervised.log(), "OVERRIDDEN");
  engage_killswitch();
  BOOST_TEST(eventually([&] { return count_of(supervised.log(), "OVERRIDDEN") > warnings; }, patience));
  std::this_thread::sleep_for(std::chrono::seconds(4));
  // Longer than a lease: it was renewed.
  BOOST_TEST(word.armed());
  BOOST_TEST(is_alive(worker));
}

BOOST_AUTO_TEST_CASE(the_override_goes_on_without_a_watcher) {
  const Supervised supervised({}, {.options = {"--i-know-what-i-am-doing"}});
  const pid_t worker = supervised.armed_worker();
  BOOST_REQUIRE(worker != 0);
  const ArmWordView word(worker);
  const pid_t watcher = supervised.watcher();
  ::kill(watcher, SIGSTOP);
  BOOST_TEST(supervised.log_says("silent"));
  std::this_thread::sleep_for(std::chrono::seconds(4));
  BOOST_TEST(word.armed());
  BOOST_TEST(is_alive(worker));
}

BOOST_AUTO_TEST_CASE(the_shipped_program_settles_for_ten_seconds) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const Supervised supervised({}, {.program = "pilotlightd"});
  const pid_t first = supervised.armed_worker(0, std::chrono::seconds(40));
  BOOST_REQUIRE(first != 0);
  BOOST_TEST((Clock::now() - start >= std::chrono::seconds(10)));
  engage_killswitch();
  BOOST_TEST(dies(first));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight::test
