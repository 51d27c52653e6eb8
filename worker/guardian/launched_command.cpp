// SPDX-License-Identifier: Apache-2.0
#include "worker/guardian/launched_command.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "common/exit_code.h"

extern char** environ;

namespace pilotlight {

namespace {

bool is_file(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::unexpected<Error> not_executable(const std::string& name) {
  return std::unexpected(Error{"cannot execute " + name, EACCES, "make it executable"});
}

}  // namespace

Result<std::string> find_executable(const std::string& name) {
  const std::unexpected<Error> missing(
      Error{"cannot execute " + name, ENOENT, "check the spelling and PATH"});
  if (name.find('/') != std::string::npos) {
    if (!is_file(name)) return missing;
    if (::access(name.c_str(), X_OK) != 0) return not_executable(name);
    return name;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  bool found_without_permission = false;
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (!is_file(candidate)) continue;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    found_without_permission = true;
  }
  if (found_without_permission) return not_executable(name);
  return missing;
}

Result<LaunchedCommand> LaunchedCommand::prepare(const std::vector<std::string>& command) {
  const auto program = find_executable(command.front());
  if (!program) return std::unexpected(program.error());
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("cannot create a pipe");
  const UniqueFd wait_here(ends[0]);
  UniqueFd gate(ends[1]);
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  auto process = ChildProcess::execute({.program = program->c_str(),
                                        .arguments = arguments.data(),
                                        .environment = environ,
                                        .descriptors = {},
                                        .own_session = false,
                                        .dies_with_parent = false,
                                        .background = false,
                                        .start_gate_fd = wait_here.get()});
  if (!process) return std::unexpected(process.error());
  return LaunchedCommand(std::move(*process), std::move(gate));
}

void LaunchedCommand::release() {
  const char go = 1;
  [[maybe_unused]] const ssize_t written = ::write(gate_.get(), &go, 1);
  gate_.reset();
}

std::optional<int> LaunchedCommand::try_exit_code() {
  if (const auto error = process_.exec_failure(); error.has_value()) {
    process_.try_reap();
    return *error == ENOENT ? command_not_found : command_not_executable;
  }
  const auto status = process_.try_reap();
  if (!status) return std::nullopt;
  return status->signalled ? killed_by_signal_base + status->value : status->value;
}

}  // namespace pilotlight
