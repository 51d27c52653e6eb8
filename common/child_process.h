// SPDX-License-Identifier: Apache-2.0
//
// One child process, owned. clone3(CLONE_PIDFD) instead of a library: the Boost.Process of Debian 12 leaves
// zombies, leaks descriptors, and waits blocking in places (supervisor/README.md has the list).
#pragma once

#include <sys/types.h>
#include <span>

#include <optional>

#include "common/error.h"
#include "common/unique_handle.h"

namespace pilotlight {

/// How a child ended.
struct ExitStatus {
  bool signalled = false;
  int value = 0;  ///< exit code, or the signal's number
};

/// A descriptor the child gets, under a number that both sides know.
struct PassedDescriptor {
  int parent_fd = -1;
  int child_fd = -1;
};

/// A program to execute, and how. All pointers must outlive the call.
struct ChildSpecification {
  const char* program = nullptr;
  char* const* arguments = nullptr;               ///< null-terminated
  char* const* environment = nullptr;             ///< null-terminated; nothing else is inherited
  std::span<const PassedDescriptor> descriptors;  ///< all that is passed beyond 0, 1 and 2
  /// Directory of a cgroup v2 that the child joins before it executes the program; −1: it stays in the
  /// parent's.
  int cgroup_fd = -1;
  bool own_session = true;       ///< setsid(): the terminal's Ctrl-C and hang-up do not reach it
  bool dies_with_parent = true;  ///< SIGKILL when the parent's spawning thread ends
  bool background = true;        ///< oom_score_adj 1000, nice 19, idle I/O, no core dump
  /// If set, the child reads one byte here before it executes the program, and gives up at end of file.
  int start_gate_fd = -1;
};

/// Owner of one child's pid and pidfd. Destruction kills the child if it still runs, and never waits: a child
/// in uninterruptible sleep would hang its owner. The last line of defence is dies_with_parent.
class ChildProcess {
 public:
  /// Executes a program. Returns once the child exists; whether the execution worked is told by
  /// exec_failure(). Call it from the main thread only: the death signal follows the thread. Allocates
  /// nothing between the clone and its return.
  static Result<ChildProcess> execute(const ChildSpecification& specification);

  /// Runs a function in a copy of this process instead, keeping only descriptors 0 to 2 and `kept_fd`. The
  /// function must end by _exit(2) and, where the parent has threads, use no lock of theirs.
  static Result<ChildProcess> run(void (*function)(void*), void* argument, int kept_fd);

  ChildProcess(ChildProcess&&) = default;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// Readable when the child is dead (but perhaps not reapable yet: a tracer may hold it).
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }

  /// Readable when the program could not be executed, and at end of file once it was.
  [[nodiscard]] int exec_result_fd() const { return exec_result_.get(); }

  /// errno of the failed execution; nothing if it worked or is not known yet. Never blocks.
  [[nodiscard]] std::optional<int> exec_failure() const;

  /// Sends a signal to exactly this process. False if it is gone.
  bool signal(int number) const noexcept;

  /// Sends a signal to the process group that the child leads (own_session). False if nobody is left in it.
  bool signal_group(int number) const noexcept;

  /// Gives up ownership: the child lives on.
  void abandon() noexcept { pidfd_.reset(); }

  /// Takes the exit status if the child is dead and reapable. Never blocks. A child that somebody else reaped
  /// counts as ended with an unknown status, exit code 255.
  std::optional<ExitStatus> try_reap() noexcept;

 private:
  ChildProcess(pid_t pid, UniqueFd pidfd, UniqueFd exec_result)
      : pid_(pid), pidfd_(std::move(pidfd)), exec_result_(std::move(exec_result)) {}

  pid_t pid_ = -1;
  UniqueFd pidfd_;
  UniqueFd exec_result_;
};

}  // namespace pilotlight
