// SPDX-License-Identifier: Apache-2.0
#include "common/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/file.h"
#include "tests/support/child.h"
#include "tests/support/temporary_directory.h"

namespace pilotlight {

namespace {

using namespace std::chrono_literals;
using test::eventually;

/// A shell that runs a script, under a specification that the caller may change.
class Shell {
 public:
  explicit Shell(std::string script) : words_{"sh", "-c", std::move(script)} {
    for (auto& word : words_) arguments_.push_back(word.data());
    arguments_.push_back(nullptr);
    specification.program = "/bin/sh";
    specification.arguments = arguments_.data();
    specification.environment = environment_.data();
  }
  ChildProcess start() { return ChildProcess::execute(specification).value(); }

  ChildSpecification specification;

 private:
  std::vector<std::string> words_;
  std::string path_ = "PATH=/usr/bin:/bin";
  std::vector<char*> arguments_;
  std::array<char*, 2> environment_{path_.data(), nullptr};
};

std::optional<ExitStatus> wait_for(ChildProcess& child, std::chrono::milliseconds limit = 10s) {
  std::optional<ExitStatus> status;
  eventually([&] { return (status = child.try_reap()).has_value(); }, limit);
  return status;
}

/// What a child has open beyond 0, 1 and 2, once it executes sleep(1).
std::map<int, std::string> descriptors_of(const ChildProcess& child) {
  BOOST_REQUIRE(eventually([&] { return test::process_name(child.pid()) == "sleep"; }, 10s));
  std::map<int, std::string> descriptors;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(child.pid()) + "/fd"))
    if (const int fd = std::stoi(entry.path().filename()); fd > STDERR_FILENO)
      descriptors[fd] = std::filesystem::read_symlink(entry.path());
  return descriptors;
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for (int fd = 0; fd < 256; ++fd) count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return count;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(child_process)

BOOST_AUTO_TEST_CASE(an_exit_code_and_a_signal_are_told_apart) {
  auto exiting = Shell("exit 7").start();
  const auto exited = wait_for(exiting);
  BOOST_REQUIRE(exited);
  BOOST_TEST(!exited->signalled);
  BOOST_TEST(exited->value == 7);
  auto sleeping = Shell("exec sleep 60").start();
  BOOST_TEST(!sleeping.try_reap().has_value());
  BOOST_TEST(sleeping.signal(SIGKILL));
  const auto killed = wait_for(sleeping);
  BOOST_REQUIRE(killed);
  BOOST_TEST(killed->signalled);
  BOOST_TEST(killed->value == SIGKILL);
}

BOOST_AUTO_TEST_CASE(a_program_that_cannot_be_executed_is_told_and_leaves_nothing) {
  const auto descriptors = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    Shell shell("");
    shell.specification.program = "/no/such/program";
    auto child = shell.start();
    std::optional<int> error;
    BOOST_TEST(eventually([&] { return (error = child.exec_failure()).has_value(); }, 10s));
    BOOST_TEST(*error == ENOENT);
    BOOST_TEST(wait_for(child).has_value());
  }
  BOOST_TEST(open_descriptors() == descriptors);
  BOOST_TEST(::waitpid(-1, nullptr, WNOHANG) == -1);  // no zombie
}

BOOST_AUTO_TEST_CASE(only_the_declared_descriptors_arrive_even_those_opened_carelessly) {
  const UniqueFd careless(::open("/dev/null", O_RDONLY));  // NOLINT(android-cloexec-open): that is the point
  const UniqueFd passed(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  Shell shell("exec sleep 60");
  const std::array descriptors{PassedDescriptor{.parent_fd = passed.get(), .child_fd = 4}};
  shell.specification.descriptors = descriptors;
  const auto child = shell.start();
  const auto expected = std::map<int, std::string>{{4, "/dev/zero"}};
  BOOST_CHECK(descriptors_of(child) == expected);
}

BOOST_AUTO_TEST_CASE(descriptors_may_trade_places) {
  const UniqueFd first(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  const UniqueFd second(::open("/dev/full", O_RDONLY | O_CLOEXEC));
  Shell shell("exec sleep 60");
  const std::array descriptors{PassedDescriptor{.parent_fd = first.get(), .child_fd = second.get()},
                               PassedDescriptor{.parent_fd = second.get(), .child_fd = first.get()}};
  shell.specification.descriptors = descriptors;
  const auto child = shell.start();
  const auto expected = std::map<int, std::string>{{second.get(), "/dev/zero"}, {first.get(), "/dev/full"}};
  BOOST_CHECK(descriptors_of(child) == expected);
}

BOOST_AUTO_TEST_CASE(signals_are_clean_and_the_session_is_its_own) {
  const test::TemporaryDirectory folder;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  auto child = Shell("grep -E 'Sig(Blk|Ign)' /proc/$$/status > " + (folder / "signals") +
                     "; cut -d' ' -f6 /proc/$$/stat > " + (folder / "session"))
                   .start();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  BOOST_TEST(wait_for(child).has_value());
  const std::string signals = read_file(folder / "signals").value();
  BOOST_TEST(signals == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  BOOST_TEST(read_file(folder / "session").value() == std::to_string(child.pid()) + "\n");
}

BOOST_AUTO_TEST_CASE(a_gate_holds_the_program_back) {
  const test::TemporaryDirectory folder;
  std::array<int, 2> ends{};
  BOOST_REQUIRE_EQUAL(::pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  Shell shell("echo > " + (folder / "ran"));
  shell.specification.start_gate_fd = read_end.get();
  auto child = shell.start();
  ::usleep(200'000);
  BOOST_TEST(!child.try_reap().has_value());
  BOOST_TEST(!read_file(folder / "ran").has_value());
  BOOST_TEST(::write(write_end.get(), "x", 1) == 1);
  BOOST_TEST(wait_for(child).has_value());
  BOOST_TEST(read_file(folder / "ran").has_value());
}

BOOST_AUTO_TEST_CASE(it_dies_with_its_parent) {
  const test::TemporaryDirectory folder;
  const pid_t parent = ::fork();
  if (parent == 0) {
    auto child = Shell("echo $$ > " + (folder / "pid") + "; exec sleep 60").start();
    ::pause();
    ::_exit(0);
  }
  BOOST_REQUIRE(eventually([&] { return read_file(folder / "pid").value_or("").ends_with("\n"); }, 10s));
  const pid_t child = std::stoi(read_file(folder / "pid").value());
  BOOST_TEST(test::process_state(child) != 0);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  BOOST_TEST(
      eventually([&] { return test::process_state(child) == 0 || test::process_state(child) == 'Z'; }, 10s));
}

BOOST_AUTO_TEST_CASE(the_owner_kills_and_never_waits) {
  pid_t pid = 0;
  {
    const auto child = Shell("exec sleep 60").start();
    pid = child.pid();
  }
  BOOST_TEST(
      eventually([&] { return test::process_state(pid) == 0 || test::process_state(pid) == 'Z'; }, 10s));
  ::waitpid(pid, nullptr, 0);
}

BOOST_AUTO_TEST_CASE(a_child_that_somebody_else_reaped_has_ended_with_an_unknown_status) {
  auto child = Shell("exit 0").start();
  BOOST_TEST(::waitpid(child.pid(), nullptr, 0) == child.pid());
  const auto status = wait_for(child);
  BOOST_REQUIRE(status);
  BOOST_TEST(status->value == 255);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
