// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/child_process.h"
#include "common/error.h"

namespace pilotlight {

/// Absolute or relative path of the file that execvp(3) would execute for a name; the error's number is
/// ENOENT or EACCES.
Result<std::string> find_executable(const std::string& name);

/// The command to profile: a child that exists, with its pid known, but has not executed its program yet.
class LaunchedCommand {
 public:
  /// It keeps our terminal, session, environment and priority.
  static Result<LaunchedCommand> prepare(const std::vector<std::string>& command);

  [[nodiscard]] std::uint32_t pid() const { return static_cast<std::uint32_t>(process_.pid()); }
  [[nodiscard]] int pidfd() const { return process_.pidfd(); }

  /// Lets it execute its program.
  void release();

  /// Its exit code as a shell would give it, once it has ended.
  std::optional<int> try_exit_code();

  /// Lets it live on without us; a command that was never released ends at its gate.
  void abandon() { process_.abandon(); }

  void signal(int number) const { process_.signal(number); }

 private:
  LaunchedCommand(ChildProcess process, UniqueFd gate)
      : process_(std::move(process)), gate_(std::move(gate)) {}

  ChildProcess process_;
  UniqueFd gate_;
};

}  // namespace pilotlight
