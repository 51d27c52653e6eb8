// SPDX-License-Identifier: Apache-2.0
//
// One worker, from its birth to its reaping.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "common/child_process.h"
#include "common/clock.h"
#include "common/error.h"
#include "common/heartbeat.h"
#include "common/unique_handle.h"
#include "common/worker_contract.h"

namespace pilotlight {

/// What is executed; made once, so that a spawn needs no path and no lookup.
class WorkerCommand {
 public:
  /// `program` is absolute. The environment is PATH, HOME, LANG and TZ of this process and nothing else: not
  /// the service manager's NOTIFY_SOCKET or WATCHDOG_*, with which the worker could speak for the supervisor.
  WorkerCommand(const std::string& program, const std::vector<std::string>& options);

  [[nodiscard]] const std::string& program() const { return arguments_.front(); }
  [[nodiscard]] std::vector<char*> arguments();
  [[nodiscard]] std::vector<char*> environment();

 private:
  std::vector<std::string> arguments_;
  std::vector<std::string> environment_;
};

class WorkerProcess {
 public:
  using TimePoint = MonotonicClock::time_point;

  /// What every worker is given, all of it owned by the caller.
  struct Surroundings {
    int null_fd = -1;      ///< standard input
    int arm_word_fd = -1;  ///< read-only
    int cgroup_fd = -1;    ///< −1: the supervisor's own
    int proc_fd = -1;      ///< /proc
  };

  /// Main thread only. The arm word must be disarmed.
  static Result<WorkerProcess> spawn(WorkerCommand& command, const Surroundings& surroundings);

  [[nodiscard]] pid_t pid() const { return process_.pid(); }

  /// What to wait for; −1 where there is nothing more to come.
  [[nodiscard]] int death_fd() const { return death_is_held_ ? -1 : process_.pidfd(); }
  [[nodiscard]] int control_fd() const { return listening_ ? control_.get() : -1; }
  [[nodiscard]] int execution_fd() const { return execution_is_known_ ? -1 : process_.exec_result_fd(); }

  /// To be called when execution_fd() is readable.
  void receive_execution() noexcept;
  /// errno of an execution that failed.
  [[nodiscard]] std::optional<int> execution_error() const { return execution_error_; }

  /// To be called when control_fd() is readable. True when the first WorkerReady has come.
  [[nodiscard]] bool receive_readiness(TimePoint now) noexcept;
  /// Its programs; none before it was ready.
  [[nodiscard]] const WorkerReady& programs() const { return programs_; }

  void tell_armed() noexcept { send_control(control_.get(), ControlMessage::armed); }
  void tell_to_finish() noexcept;

  /// Looks at the heartbeat; true if a ready worker's last beat is too long ago.
  [[nodiscard]] bool heart_stopped(TimePoint now) noexcept;

  /// Raises the worker's priority, since dying takes processor time too, then SIGKILL for it and its process
  /// group. Allocates nothing, blocks on nothing.
  void kill() noexcept;

  /// Lets another process free the memory of a killed worker that does not get to it (process_mrelease(2)):
  /// the call can sleep on a lock of the victim.
  void release_memory();

  /// Only for a dead worker: when death_fd() is readable, and while death_is_held(). Kills what is left of
  /// its process group and takes its exit status; nothing if a debugger still holds that.
  std::optional<ExitStatus> reap() noexcept;
  [[nodiscard]] bool death_is_held() const { return death_is_held_; }

  /// State letter of /proc/PID/stat; '?' if it cannot be read.
  [[nodiscard]] char process_state() const noexcept;

 private:
  WorkerProcess(ChildProcess process, UniqueFd control, Heartbeat heartbeat, int proc_fd)
      : process_(std::move(process)),
        control_(std::move(control)),
        heartbeat_(std::move(heartbeat)),
        proc_fd_(proc_fd) {}

  ChildProcess process_;
  UniqueFd control_;
  Heartbeat heartbeat_;
  int proc_fd_;
  WorkerReady programs_;
  std::optional<ChildProcess> memory_releaser_;
  std::optional<int> execution_error_;
  std::uint64_t beats_ = 0;
  TimePoint last_beat_;
  bool ready_ = false;
  bool listening_ = true;
  bool execution_is_known_ = false;
  bool death_is_held_ = false;
};

}  // namespace pilotlight
