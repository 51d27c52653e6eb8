// SPDX-License-Identifier: Apache-2.0
//
// Workers in trouble, and what a worker is given.
#include <linux/bpf.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstring>
#include <sstream>
#include <thread>

#include "common/unique_handle.h"
#include "tests/support/private_etc.h"
#include "tests/support/requires.h"
#include "tests/system/supervisor_fixture.h"

namespace pilotlight::test {

namespace {

struct Released {
  Released() { release_killswitch(); }
};

/// The smallest BPF program there is, held by this process: what a leaked program looks like to the
/// supervisor.
class Program {
 public:
  Program() {
    // r0 = 0; exit
    const bpf_insn instructions[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .src_reg = 0, .off = 0, .imm = 0},
        {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
    const char license[] = "GPL";
    bpf_attr load;
    std::memset(&load, 0, sizeof load);
    load.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
    load.insns = reinterpret_cast<std::uint64_t>(instructions);
    load.insn_cnt = 2;
    load.license = reinterpret_cast<std::uint64_t>(license);
    fd_ = UniqueFd(static_cast<int>(::syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof load)));
    BOOST_REQUIRE(fd_);
    bpf_prog_info info{};
    bpf_attr query;
    std::memset(&query, 0, sizeof query);
    query.info.bpf_fd = static_cast<std::uint32_t>(fd_.get());
    query.info.info_len = sizeof info;
    query.info.info = reinterpret_cast<std::uint64_t>(&info);
    BOOST_REQUIRE(::syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &query, sizeof query) == 0);
    id_ = info.id;
  }
  [[nodiscard]] std::string id() const { return std::to_string(id_); }
  void unload() { fd_.reset(); }

 private:
  UniqueFd fd_;
  std::uint32_t id_ = 0;
};

/// The pids behind "worker PID descendant PID".
std::vector<pid_t> descendants(const Supervised& supervised) {
  std::vector<pid_t> found;
  std::istringstream lines(supervised.output());
  for (std::string line; std::getline(lines, line);)
    if (const auto at = line.find(" descendant "); at != std::string::npos)
      found.push_back(std::stoi(line.substr(at + std::string(" descendant ").size())));
  return found;
}

}  // namespace

BOOST_TEST_GLOBAL_FIXTURE(PrivateEtc);

BOOST_FIXTURE_TEST_SUITE(supervisor_worker, Released, *boost::unit_test::precondition(NeedsRoot()))

BOOST_AUTO_TEST_CASE(a_worker_gets_what_the_contract_says_and_nothing_else) {
  const Supervised supervised({"show-surroundings"},
                              {.environment = {"NOTIFY_SOCKET=/run/notify", "WATCHDOG_USEC=1",
                                               "WATCHDOG_PID=1", "LD_SECRET=1", "TZ=UTC"}});
  const pid_t worker = supervised.armed_worker();
  BOOST_REQUIRE(worker != 0);
  BOOST_TEST(supervised.worker_says(" descriptors 0 1 2 3 4 5\n"));
  BOOST_TEST(supervised.worker_says(" environment TZ=UTC\n"));
  BOOST_TEST(supervised.worker_says(" environment PATH="));
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG", "LD_SECRET", "PILOTLIGHT"})
    BOOST_TEST(!supervised.worker_says(name, std::chrono::milliseconds(0)), name);
  BOOST_TEST(supervised.worker_says(" directory /\n"));
  BOOST_TEST(supervised.worker_says(" input /dev/null\n"));
  BOOST_TEST(supervised.worker_says(" signals unblocked\n"));
  // A session of its own: the terminal's signals reach the supervisor only.
  BOOST_TEST(::getsid(worker) == worker);
}

BOOST_AUTO_TEST_CASE(a_worker_that_crashes_after_it_was_armed_is_disarmed_and_restarted) {
  const Supervised supervised({"crash-when-armed"});
  BOOST_TEST(eventually([&] { return supervised.starts() >= 2; }, patience));
  BOOST_TEST(supervised.log_says("backing off"));
}

BOOST_AUTO_TEST_CASE(exit_codes_that_a_restart_cannot_help_trip_at_once) {
  for (const std::string code : {"2", "78"}) {
    const Supervised supervised({"exit", code});
    BOOST_TEST(supervised.log_says("tripped"));
    BOOST_TEST(supervised.log_says("exit code " + code));
    std::this_thread::sleep_for(a_while);
    BOOST_TEST(supervised.starts() == 1U);
  }
}

BOOST_AUTO_TEST_CASE(a_worker_that_refuses_because_of_the_switch_has_not_crashed) {
  const Supervised supervised({"exit", "77"});
  // Each settling time one; more than five, which as crashes would have tripped.
  BOOST_TEST(eventually([&] { return supervised.starts() > 6; }, patience));
  BOOST_TEST(!supervised.log_says("backing off", std::chrono::milliseconds(0)));
  BOOST_TEST(!supervised.log_says("tripped", std::chrono::milliseconds(0)));
}

BOOST_AUTO_TEST_CASE(a_worker_that_ends_unasked_is_restarted) {
  const Supervised supervised({"exit", "0"});
  BOOST_TEST(supervised.log_says("backing off"));
  BOOST_TEST(eventually([&] { return supervised.starts() >= 2; }, patience));
}

BOOST_AUTO_TEST_CASE(bad_workers_are_killed_in_time_restarted_later_each_time_and_then_no_more,
                     *boost::unit_test::precondition(NeedsProgram{"unshare"})) {
  // Three at a time, because each takes long.
  const Supervised crashing({"crash"}, {.own_run = true});
  const Supervised silent({"no-heartbeat"}, {.own_run = true});
  const Supervised late({"never-ready"}, {.own_run = true});
  BOOST_REQUIRE(eventually([&] { return late.worker() != 0; }, patience));
  const pid_t late_worker = late.worker();
  const pid_t silent_worker = silent.armed_worker();
  BOOST_REQUIRE(silent_worker != 0);
  const ArmWordView word(silent_worker);

  std::this_thread::sleep_for(std::chrono::seconds(6));
  BOOST_TEST(is_alive(silent_worker));
  BOOST_TEST(dies(silent_worker));
  BOOST_TEST(word.value() == 0U);
  BOOST_TEST(silent.log_says("no heartbeat for 10 s"));
  BOOST_TEST(silent.log_says("backing off"));

  BOOST_TEST(crashing.log_says("tripped", std::chrono::seconds(60)));
  BOOST_TEST(crashing.starts() == 5U);
  BOOST_TEST(count_of(crashing.log(), "backing off") == 4U);
  BOOST_TEST(crashing.log_says("signal 6 (Aborted)"));
  BOOST_TEST(is_alive(late_worker));
  BOOST_TEST(dies(late_worker, std::chrono::seconds(50)));
  BOOST_TEST(late.log_says("not ready within 30 s"));
  BOOST_TEST(late.log_says("backing off"));

  // Tripped, it stays up and starts nothing, and neither does the switch bring the worker back.
  BOOST_TEST(crashing.worker() == 0);
  engage_killswitch();
  BOOST_TEST(crashing.log_says("killswitch engaged"));
  release_killswitch();
  std::this_thread::sleep_for(a_while);
  BOOST_TEST(crashing.starts() == 5U);
  BOOST_TEST(is_alive(crashing.pid()));
}

BOOST_AUTO_TEST_CASE(a_start_that_fails_for_want_of_descriptors_is_tried_again) {
  engage_killswitch();
  const Supervised supervised;
  BOOST_REQUIRE(supervised.log_says("engaged"));
  rlimit before{};
  BOOST_REQUIRE(::prlimit(supervised.pid(), RLIMIT_NOFILE, nullptr, &before) == 0);
  const rlimit none_left{.rlim_cur = 4, .rlim_max = before.rlim_max};
  BOOST_REQUIRE(::prlimit(supervised.pid(), RLIMIT_NOFILE, &none_left, nullptr) == 0);
  release_killswitch();
  BOOST_TEST(supervised.log_says("Too many open files; the next worker starts in"));
  BOOST_TEST(supervised.starts() == 0U);
  BOOST_REQUIRE(::prlimit(supervised.pid(), RLIMIT_NOFILE, &before, nullptr) == 0);
  BOOST_TEST(supervised.armed_worker() != 0);
}

BOOST_AUTO_TEST_CASE(descendants_that_left_the_family_die_with_the_worker) {
  Supervised supervised({"descendants", "5"});
  BOOST_REQUIRE(supervised.armed_worker() != 0);
  BOOST_REQUIRE(supervised.log_says("the worker's control group is"));
  BOOST_REQUIRE(eventually([&] { return descendants(supervised).size() == 5; }, patience));
  const auto escaped = descendants(supervised);
  engage_killswitch();
  for (const pid_t pid : escaped) BOOST_TEST(dies(pid));
}

BOOST_AUTO_TEST_CASE(descendants_of_a_worker_of_a_killed_supervisor_die_before_the_next_worker) {
  std::vector<pid_t> escaped;
  {
    Supervised supervised({"descendants", "3"});
    BOOST_REQUIRE(supervised.armed_worker() != 0);
    BOOST_REQUIRE(eventually([&] { return descendants(supervised).size() == 3; }, patience));
    escaped = descendants(supervised);
    supervised.signal(SIGKILL);
    BOOST_TEST(supervised.child().exit_code(patience) == -SIGKILL);
  }
  for (const pid_t pid : escaped) BOOST_TEST(is_alive(pid));
  const Supervised next;
  for (const pid_t pid : escaped) BOOST_TEST(dies(pid));
  BOOST_TEST(next.armed_worker() != 0);
}

BOOST_AUTO_TEST_CASE(a_program_that_outlives_its_worker_is_a_leak_beside_which_none_is_started) {
  Program program;
  const Supervised supervised({"programs", program.id()});
  const pid_t worker = supervised.armed_worker();
  BOOST_REQUIRE(worker != 0);
  engage_killswitch();
  BOOST_TEST(dies(worker));
  release_killswitch();
  BOOST_TEST(supervised.log_says("LEAK"));
  BOOST_TEST(supervised.log_says("BPF programs " + program.id()));
  std::this_thread::sleep_for(a_while);
  BOOST_TEST(supervised.starts() == 1U);
  program.unload();
  BOOST_TEST(eventually([&] { return supervised.starts() == 2; }, patience));
}

BOOST_AUTO_TEST_CASE(a_traced_worker_dies_although_its_tracer_keeps_it_unreaped) {
  const Supervised supervised;
  const pid_t worker = supervised.armed_worker();
  BOOST_REQUIRE(worker != 0);
  BOOST_REQUIRE(::ptrace(PTRACE_SEIZE, worker, nullptr, nullptr) == 0);
  engage_killswitch();
  BOOST_TEST(dies(worker));
  release_killswitch();
  // It is dead, but not gone: nothing may be started beside it, and nothing may hang.
  std::this_thread::sleep_for(a_while);
  BOOST_TEST(process_state(worker) == 'Z');
  BOOST_TEST(supervised.starts() == 1U);
  BOOST_TEST(supervised.log_says("not dead"));
  BOOST_TEST(::waitpid(worker, nullptr, __WALL) == worker);
  BOOST_TEST(supervised.armed_worker(worker) != 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight::test
