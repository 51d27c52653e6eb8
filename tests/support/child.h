// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/child_process.h"

namespace pilotlight::test {

/// A program under test, seen from outside: its standard output and error go to files that can be read
/// meanwhile.
class Child {
 public:
  /// The first argument is the program, looked up in the build's bin folder if it has no slash.
  explicit Child(std::vector<std::string> arguments, std::vector<std::string> extra_environment = {});

  /// Kills it (SIGKILL) and reaps it.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t pid() const { return process_->pid(); }
  void signal(int number) const { process_->signal(number); }
  [[nodiscard]] std::string standard_output() const;
  [[nodiscard]] std::string standard_error() const;

  /// Exit status, or nothing if it still runs at the end of the limit.
  std::optional<ExitStatus> wait(std::chrono::milliseconds limit);

  /// Exit code within the limit; −signal if killed by one; −1000 if it still runs.
  int exit_code(std::chrono::milliseconds limit);

 private:
  std::string output_path_;
  std::string error_path_;
  std::optional<ChildProcess> process_;
  std::optional<ExitStatus> status_;
};

/// Runs a program to its end and returns its exit code (as Child::exit_code) and outputs.
struct Finished {
  int exit_code = 0;
  std::string standard_output;
  std::string standard_error;
};
Finished run_to_end(std::vector<std::string> arguments,
                    std::chrono::milliseconds limit = std::chrono::seconds(60));

/// Polls a condition every millisecond until it holds; false if it does not within the limit.
bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds limit);

/// Pids of the direct children of a process that still live (zombies left out).
std::vector<pid_t> children_of(pid_t parent);

/// State letter of /proc/PID/stat: R, S, D, T, Z …; 0 if there is no such process.
char process_state(pid_t pid);

/// comm of a process; empty if there is none.
std::string process_name(pid_t pid);

}  // namespace pilotlight::test
