// SPDX-License-Identifier: Apache-2.0
// The whole service: pilotlightd and the real pilotlight, the real killswitch and the real BPF programs.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

#include "common/file.h"
#include "common/killswitch.h"
#include "tests/support/bpf_programs.h"
#include "tests/support/child.h"
#include "tests/support/folded_file.h"
#include "tests/support/private_etc.h"
#include "tests/support/requires.h"
#include "tests/support/temporary_directory.h"

namespace pilotlight::test {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// pilotlightd with a settling time of milliseconds, writing a folded profile every second.
class Service {
 public:
  Service()
      : before_(loaded_programs(sampling_program_name)),
        supervisor_({"pilotlightd_fast_settling", "--worker", std::string(PILOTLIGHT_BIN_DIR) + "/pilotlight",
                     "--", "--output-directory", folder_.path(), "--interval", "1s", "--frequency", "199",
                     "--format", "folded"}) {}

  Child& supervisor() { return supervisor_; }
  [[nodiscard]] const std::string& folder() const { return folder_.path(); }

  [[nodiscard]] std::set<std::string> profiles() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      if (entry.path().extension() == ".folded") names.insert(entry.path());
    return names;
  }

  [[nodiscard]] bool programs_are_loaded() const {
    return !std::ranges::includes(before_, loaded_programs(sampling_program_name));
  }

  /// The worker; 0 if there is none.
  [[nodiscard]] pid_t worker() const {
    for (const pid_t pid : children_of(supervisor_.pid()))
      if (process_name(pid) == "pilotlight") return pid;
    return 0;
  }

  [[nodiscard]] bool writes_another_profile(std::chrono::milliseconds limit) const {
    const auto had = profiles().size();
    return eventually([&] { return profiles().size() > had; }, limit);
  }

 private:
  TemporaryDirectory folder_;
  std::set<std::uint32_t> before_;
  Child supervisor_;
};

struct ReleasedSwitch {
  ReleasedSwitch() {
    fs::create_directories(killswitch_directory);
    release_killswitch();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(service, ReleasedSwitch, *boost::unit_test::precondition(NeedsRoot()))

BOOST_AUTO_TEST_CASE(a_true_profile_of_the_machine_every_interval) {
  const Child burner({"shares", "60"});
  const Service service;
  BOOST_REQUIRE(eventually([&] { return service.profiles().size() >= 3; }, 30s));
  // The second window is a whole one.
  const FoldedFile file = read_folded(*std::next(service.profiles().begin()));
  BOOST_TEST(count_with(file, "share_of_sixty") > count_with(file, "share_of_thirty"));
  BOOST_TEST(count_with(file, "share_of_thirty") > count_with(file, "share_of_ten"));
}

BOOST_AUTO_TEST_CASE(touch_stops_it_and_rm_brings_it_back) {
  const Child burner({"shares", "120"});
  Service service;
  BOOST_REQUIRE(service.writes_another_profile(30s));
  for (int turn = 0; turn < 3; ++turn) {
    engage_killswitch("turn " + std::to_string(turn));
    BOOST_TEST(eventually([&] { return service.worker() == 0; }, 5s));
    BOOST_TEST(eventually([&] { return !service.programs_are_loaded(); }, 5s));
    const auto profiles = service.profiles();
    std::this_thread::sleep_for(2500ms);
    BOOST_TEST(service.profiles() == profiles, boost::test_tools::per_element());
    BOOST_TEST(service.worker() == 0);
    BOOST_TEST(process_state(service.supervisor().pid()) != 'Z');
    release_killswitch();
    BOOST_TEST(service.writes_another_profile(30s));
  }
  BOOST_TEST(service.supervisor().standard_error().find("turn 1") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_stopped_worker_is_killed_and_its_programs_go_with_it) {
  Service service;
  BOOST_REQUIRE(service.writes_another_profile(30s));
  BOOST_REQUIRE_EQUAL(::kill(service.worker(), SIGSTOP), 0);
  engage_killswitch();
  BOOST_TEST(eventually([&] { return service.worker() == 0 && !service.programs_are_loaded(); }, 5s));
}

BOOST_AUTO_TEST_CASE(a_killed_supervisor_takes_the_worker_and_its_programs_with_it) {
  Service service;
  BOOST_REQUIRE(service.writes_another_profile(30s));
  const pid_t worker = service.worker();
  service.supervisor().signal(SIGKILL);
  BOOST_TEST(eventually([&] { return process_state(worker) == 0 || process_state(worker) == 'Z'; }, 5s));
  BOOST_TEST(eventually([&] { return !service.programs_are_loaded(); }, 5s));
}

BOOST_AUTO_TEST_CASE(a_crashed_worker_is_replaced) {
  Service service;
  BOOST_REQUIRE(service.writes_another_profile(30s));
  const pid_t worker = service.worker();
  ::kill(worker, SIGSEGV);
  BOOST_TEST(eventually([&] { return service.worker() != 0 && service.worker() != worker; }, 20s));
  BOOST_TEST(service.writes_another_profile(30s));
}

BOOST_AUTO_TEST_CASE(asked_to_end_it_writes_the_last_window_and_leaves_nothing) {
  const Child burner({"shares", "60"});
  Service service;
  BOOST_REQUIRE(service.writes_another_profile(30s));
  const auto had = service.profiles().size();
  service.supervisor().signal(SIGTERM);
  BOOST_TEST(service.supervisor().exit_code(15s) == 0);
  BOOST_TEST(service.profiles().size() > had);
  BOOST_TEST(!service.programs_are_loaded());
}

BOOST_AUTO_TEST_CASE(engaged_at_the_start_nothing_of_bpf_is_loaded) {
  engage_killswitch();
  Service service;
  std::this_thread::sleep_for(3s);
  BOOST_TEST(service.worker() == 0);
  BOOST_TEST(!service.programs_are_loaded());
  BOOST_TEST(process_state(service.supervisor().pid()) != 'Z');
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight::test
