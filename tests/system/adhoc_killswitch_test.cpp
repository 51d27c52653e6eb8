// SPDX-License-Identifier: Apache-2.0
// The killswitch and `pilotlight` run by hand.
#include <sys/stat.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "common/file.h"
#include "common/killswitch.h"
#include "common/worker_contract.h"
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

const std::string shares = std::string(PILOTLIGHT_BIN_DIR) + "/shares";
const std::string override_flag = std::string("--") + override_option;

/// A run that is sampling by now, and the pid of the child that does it.
class Run {
 public:
  explicit Run(const std::string& output, const std::vector<std::string>& more = {})
      : before_(loaded_programs(sampling_program_name)), run_(arguments(output, more)) {
    BOOST_REQUIRE(eventually([this] { return !programs().empty() && profiler() != 0; }, 20s));
    std::this_thread::sleep_for(1s);
  }

  Child& child() { return run_; }

  /// Programs of this run that are loaded now.
  [[nodiscard]] std::set<std::uint32_t> programs() const {
    std::set<std::uint32_t> mine;
    std::ranges::set_difference(loaded_programs(sampling_program_name), before_,
                                std::inserter(mine, mine.end()));
    return mine;
  }

  /// The profiling child; 0 if there is none. The other child is the watcher.
  [[nodiscard]] pid_t profiler() const {
    for (const pid_t pid : children_of(run_.pid())) {
      const auto arguments = read_file("/proc/" + std::to_string(pid) + "/cmdline").value_or(std::string());
      if (arguments.find(supervised_option) != std::string::npos) return pid;
    }
    return 0;
  }

 private:
  static std::vector<std::string> arguments(const std::string& output, const std::vector<std::string>& more) {
    std::vector<std::string> words{"pilotlight", "-d", "30", "-F", "499", "-o", output};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  std::set<std::uint32_t> before_;
  Child run_;
};

struct ReleasedSwitch {
  ReleasedSwitch() {
    fs::remove_all(killswitch_directory);
    fs::create_directories(killswitch_directory);
  }
  ~ReleasedSwitch() { fs::remove_all(killswitch_directory); }
};

void check_refused(int exit_code) {
  const Finished run = run_to_end({"pilotlight", "-d", "1", "-o", "/tmp/refused.svg"}, 5s);
  BOOST_TEST(run.exit_code == exit_code);
  BOOST_TEST(run.standard_error.find(override_flag) != std::string::npos);
  BOOST_TEST(run.standard_error.find(killswitch_path) != std::string::npos);
  BOOST_TEST(!fs::exists("/tmp/refused.svg"));
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(adhoc_killswitch, ReleasedSwitch, *boost::unit_test::precondition(NeedsRoot()))

BOOST_AUTO_TEST_CASE(any_kind_of_entry_refuses_with_77) {
  const std::string path = killswitch_path;
  write_file(path, "");
  check_refused(77);
  fs::remove(path);
  fs::create_directory(path);
  check_refused(77);
  fs::remove(path);
  fs::create_symlink("nowhere", path);
  check_refused(77);
  fs::remove(path);
  fs::create_symlink(killswitch_name, path);  // to itself
  check_refused(77);
  fs::remove(path);
  BOOST_REQUIRE_EQUAL(::mkfifo(path.c_str(), 0600), 0);
  check_refused(77);
}

BOOST_AUTO_TEST_CASE(a_path_that_cannot_be_read_refuses_with_75) {
  fs::remove_all(killswitch_directory);
  write_file(killswitch_directory, "a file where the directory should be");
  check_refused(75);
  fs::remove(killswitch_directory);
  fs::create_symlink("pilotlight", killswitch_directory);  // a loop on the way
  check_refused(75);
}

BOOST_AUTO_TEST_CASE(the_reason_is_shown_and_escaped) {
  engage_killswitch("load \x1b[31mincident\n");
  const Finished run = run_to_end({"pilotlight", "-d", "1"});
  BOOST_TEST(run.exit_code == 77);
  BOOST_TEST(run.standard_error.find("load \\x1b[31mincident") != std::string::npos);
  BOOST_TEST(run.standard_error.find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_missing_directory_is_no_switch) {
  fs::remove_all(killswitch_directory);
  const TemporaryDirectory folder;
  BOOST_TEST(run_to_end({"pilotlight", "-o", folder / "x.svg", "--", shares, "0.5"}).exit_code == 0);
}

BOOST_AUTO_TEST_CASE(pulled_in_the_middle_it_stops_and_writes_what_it_has) {
  const TemporaryDirectory folder;
  const Child burner({shares, "60"});
  Run run(folder / "x.folded");
  engage_killswitch();
  BOOST_TEST(run.child().exit_code(10s) == 77);
  BOOST_TEST(run.child().standard_error().find("stopped by the killswitch") != std::string::npos);
  BOOST_TEST(total(read_folded(folder / "x.folded")) > 0);
  BOOST_TEST(eventually([&] { return run.programs().empty(); }, 2s));
}

BOOST_AUTO_TEST_CASE(pulled_while_the_profiler_is_stopped_it_ends_all_the_same) {
  const TemporaryDirectory folder;
  Run run(folder / "x.folded");
  BOOST_REQUIRE_EQUAL(::kill(run.profiler(), SIGSTOP), 0);
  engage_killswitch();
  BOOST_TEST(run.child().exit_code(10s) == 77);
  BOOST_TEST(run.child().standard_error().find("no profile was written") != std::string::npos);
  BOOST_TEST(!fs::exists(folder / "x.folded"));
  BOOST_TEST(eventually([&] { return run.programs().empty(); }, 2s));
}

BOOST_AUTO_TEST_CASE(a_pulse_stops_it_too) {
  const TemporaryDirectory folder;
  Run run(folder / "x.folded");
  write_file(killswitch_path, "");
  fs::remove(killswitch_path);
  BOOST_TEST(run.child().exit_code(10s) == 77);
}

BOOST_AUTO_TEST_CASE(the_command_lives_on_when_its_profiler_is_stopped) {
  const TemporaryDirectory folder;
  Child run({"pilotlight", "-o", folder / "x.folded", "--", "/bin/sh", "-c",
             "sleep 5; echo done > " + (folder / "mark")});
  std::this_thread::sleep_for(2s);
  engage_killswitch();
  BOOST_TEST(run.exit_code(4s) == 77);
  BOOST_TEST(eventually([&] { return fs::exists(folder / "mark"); }, 15s));
}

BOOST_AUTO_TEST_CASE(killing_the_guardian_takes_the_profiler_and_its_programs_with_it) {
  const TemporaryDirectory folder;
  Run run(folder / "x.folded");
  const pid_t profiler = run.profiler();
  run.child().signal(SIGKILL);
  BOOST_TEST(eventually([&] { return process_state(profiler) == 0 || process_state(profiler) == 'Z'; }, 5s));
  BOOST_TEST(eventually([&] { return run.programs().empty(); }, 5s));
}

BOOST_AUTO_TEST_CASE(a_guardian_that_slept_past_its_lease_does_not_go_on) {
  const TemporaryDirectory folder;
  Run run(folder / "x.folded");
  run.child().signal(SIGSTOP);
  std::this_thread::sleep_for(4s);
  run.child().signal(SIGCONT);
  BOOST_TEST(run.child().exit_code(10s) != 0);
  BOOST_TEST(eventually([&] { return run.programs().empty(); }, 2s));
}

BOOST_AUTO_TEST_CASE(killing_the_watcher_stops_it) {
  const TemporaryDirectory folder;
  Run run(folder / "x.folded");
  for (const pid_t pid : children_of(run.child().pid()))
    if (pid != run.profiler()) ::kill(pid, SIGKILL);
  BOOST_TEST(run.child().exit_code(10s) == 75);
}

BOOST_AUTO_TEST_CASE(the_override_runs_and_warns) {
  engage_killswitch("because");
  const TemporaryDirectory folder;
  const Finished run =
      run_to_end({"pilotlight", override_flag, "-o", folder / "x.folded", "--", shares, "1"});
  BOOST_TEST(run.exit_code == 0);
  BOOST_TEST(run.standard_error.find("WARNING: the killswitch is engaged") != std::string::npos);
  BOOST_TEST(total(read_folded(folder / "x.folded")) > 0);
}

BOOST_AUTO_TEST_CASE(the_override_goes_on_when_it_is_pulled_in_the_middle) {
  const TemporaryDirectory folder;
  Child run({"pilotlight", override_flag, "-F", "499", "-o", folder / "x.folded", "--", shares, "5"});
  std::this_thread::sleep_for(1s);
  engage_killswitch();
  BOOST_TEST(run.exit_code(20s) == 0);
  BOOST_TEST(run.standard_error().find("WARNING: the killswitch is engaged") != std::string::npos);
  BOOST_TEST(total(read_folded(folder / "x.folded")) > 600);  // more than the first second can hold
}

BOOST_AUTO_TEST_CASE(no_variable_of_the_environment_moves_or_overrides_it) {
  engage_killswitch();
  Child run({"pilotlight", "-d", "1"},
            {"PILOTLIGHT_KILLSWITCH=/nowhere", "I_KNOW_WHAT_I_AM_DOING=1", "i-know-what-i-am-doing=1"});
  BOOST_TEST(run.exit_code(5s) == 77);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight::test
