// SPDX-License-Identifier: Apache-2.0
#include "common/child_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

namespace pilotlight {

namespace {

constexpr int gate_failed = 126;  // the parent was gone before the child could tie itself to it
constexpr int unknown_exit_code = 255;
constexpr int first_free_fd = 3;
constexpr int scratch_fd = 64;  // passed descriptors are parked above this before they get their numbers
constexpr int last_signal = 64;
// From linux/ioprio.h, which Debian 12 ships without these names.
constexpr int ioprio_who_process = 1;
constexpr int ioprio_idle = 3 << 13;

/// What the child does between clone and exec: plain system calls only, the parent may have threads.
class ChildSetup {
 public:
  ChildSetup(const ChildSpecification& specification, pid_t parent, int exec_result)
      : specification_(specification), parent_(parent), exec_result_(exec_result) {}

  [[noreturn]] void execute() {
    if (tie_to_parent() && join_cgroup() && lower_priorities() && open_gate() && pass_descriptors()) {
      reset_signals();
      ::execve(specification_.program, specification_.arguments, specification_.environment);
    }
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(exec_result_, &error, sizeof error);
    ::_exit(127);
  }

  static void reset_signals() {
    struct sigaction standard{};
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number <= last_signal; ++number) ::sigaction(number, &standard, nullptr);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
  }

  bool tie_to_parent() const {
    if (specification_.dies_with_parent) {
      if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
      // The parent may have died before the line above: then no signal will come.
      if (::getppid() != parent_) ::_exit(gate_failed);
    }
    return !specification_.own_session || ::setsid() >= 0;
  }

 private:
  /// Not by CLONE_INTO_CGROUP: measured on Linux 6.18, a child that clone3(2) puts into a group whose
  /// cgroup.kill was ever written is killed at birth.
  bool join_cgroup() const {
    if (specification_.cgroup_fd < 0) return true;
    const int fd = ::openat(specification_.cgroup_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const bool joined = ::write(fd, "0", 1) == 1;
    const int error = errno;
    ::close(fd);
    errno = error;
    return joined;
  }

  bool lower_priorities() const {
    if (!specification_.background) return true;
    // None of these is worth refusing to start for.
    const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
      [[maybe_unused]] const ssize_t written = ::write(fd, "1000", 4);
      ::close(fd);
    }
    ::setpriority(PRIO_PROCESS, 0, 19);
    ::syscall(SYS_ioprio_set, ioprio_who_process, 0, ioprio_idle);
    const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    return true;
  }

  [[nodiscard]] bool open_gate() const {
    if (specification_.start_gate_fd < 0) return true;
    char go = 0;
    ssize_t got = 0;
    do {
      got = ::read(specification_.start_gate_fd, &go, 1);
    } while (got < 0 && errno == EINTR);
    if (got != 1) ::_exit(gate_failed);
    return true;
  }

  bool pass_descriptors() {
    std::array<int, 16> parked{};
    if (specification_.descriptors.size() > parked.size()) {
      errno = E2BIG;
      return false;
    }
    exec_result_ = ::fcntl(exec_result_, F_DUPFD_CLOEXEC, scratch_fd);
    if (exec_result_ < 0) return false;
    for (std::size_t i = 0; i < specification_.descriptors.size(); ++i) {
      parked[i] = ::fcntl(specification_.descriptors[i].parent_fd, F_DUPFD_CLOEXEC, scratch_fd);
      if (parked[i] < 0) return false;
    }
    // Also descriptors that somebody opened without O_CLOEXEC.
    if (::syscall(SYS_close_range, first_free_fd, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return false;
    for (std::size_t i = 0; i < specification_.descriptors.size(); ++i)
      if (::dup2(parked[i], specification_.descriptors[i].child_fd) < 0) return false;
    return true;
  }

  const ChildSpecification& specification_;
  pid_t parent_;
  int exec_result_;
};

/// clone3 with every signal blocked, so that no signal meant for the child runs a handler of the parent.
/// Returns 0 in the child, the pid in the parent, −1 on failure.
pid_t clone_child(int& pidfd) {
  clone_args arguments{};
  arguments.flags = CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  arguments.exit_signal = SIGCHLD;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  const auto pid = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
  if (pid != 0) {
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
  }
  return pid;
}

}  // namespace

Result<ChildProcess> ChildProcess::execute(const ChildSpecification& specification) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    return system_error("cannot create a pipe for a child");
  UniqueFd result(ends[0]);
  const UniqueFd child_result(ends[1]);
  const pid_t parent = ::getpid();
  int pidfd = -1;
  const pid_t pid = clone_child(pidfd);
  if (pid == 0) ChildSetup(specification, parent, child_result.get()).execute();
  if (pid < 0) return system_error(std::string("cannot start ") + specification.program);
  return ChildProcess(pid, UniqueFd(pidfd), std::move(result));
}

Result<ChildProcess> ChildProcess::run(void (*function)(void*), void* argument, int kept_fd) {
  const pid_t parent = ::getpid();
  int pidfd = -1;
  const pid_t pid = clone_child(pidfd);
  if (pid == 0) {
    const ChildSpecification specification{};
    if (!ChildSetup(specification, parent, -1).tie_to_parent()) ::_exit(gate_failed);
    // Whatever else the parent holds (arm word, worker's descriptors) must not live on here.
    if (kept_fd > first_free_fd) ::syscall(SYS_close_range, first_free_fd, kept_fd - 1, 0);
    ::syscall(SYS_close_range, kept_fd + 1, ~0U, 0);
    ChildSetup::reset_signals();
    function(argument);
    ::_exit(0);
  }
  if (pid < 0) return system_error("cannot start a helper process");
  return ChildProcess(pid, UniqueFd(pidfd), UniqueFd());
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  if (pidfd_) {
    signal(SIGKILL);
    try_reap();
  }
  pid_ = std::exchange(other.pid_, -1);
  pidfd_ = std::move(other.pidfd_);
  exec_result_ = std::move(other.exec_result_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (!pidfd_) return;
  signal(SIGKILL);
  try_reap();
}

std::optional<int> ChildProcess::exec_failure() const {
  int error = 0;
  if (!exec_result_ || ::read(exec_result_.get(), &error, sizeof error) != sizeof error) return std::nullopt;
  return error;
}

bool ChildProcess::signal(int number) const noexcept {
  return ::syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0) == 0;
}

bool ChildProcess::signal_group(int number) const noexcept { return pid_ > 1 && ::kill(-pid_, number) == 0; }

std::optional<ExitStatus> ChildProcess::try_reap() noexcept {
  siginfo_t info{};
  const int result = ::waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED | WNOHANG);
  if (result != 0 && errno == ECHILD) {
    pidfd_.reset();
    return ExitStatus{.signalled = false, .value = unknown_exit_code};
  }
  if (result != 0 || info.si_pid == 0) return std::nullopt;
  pidfd_.reset();
  return ExitStatus{.signalled = info.si_code != CLD_EXITED, .value = info.si_status};
}

}  // namespace pilotlight
