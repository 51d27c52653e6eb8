// SPDX-License-Identifier: Apache-2.0
#include "tests/support/child.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "common/clock.h"
#include "common/file.h"

extern char** environ;

namespace pilotlight::test {

namespace {

constexpr int still_running = -1000;

std::string new_temporary_file() {
  std::string name = "/tmp/pilotlight-output-XXXXXX";
  const UniqueFd fd(::mkstemp(name.data()));
  if (!fd) throw std::runtime_error("cannot create a file under /tmp");
  return name;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (auto& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

std::string stat_of(pid_t pid) {
  return read_file("/proc/" + std::to_string(pid) + "/stat").value_or(std::string());
}

}  // namespace

Child::Child(std::vector<std::string> arguments, std::vector<std::string> extra_environment)
    : output_path_(new_temporary_file()), error_path_(new_temporary_file()) {
  if (arguments.at(0).find('/') == std::string::npos)
    arguments[0] = std::string(PILOTLIGHT_BIN_DIR) + "/" + arguments[0];
  for (char** entry = environ; *entry != nullptr; ++entry) extra_environment.emplace_back(*entry);
  const auto argument_pointers = pointers(arguments);
  const auto environment_pointers = pointers(extra_environment);
  const UniqueFd output(::open(output_path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  const UniqueFd error(::open(error_path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  const UniqueFd input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const PassedDescriptor descriptors[] = {{.parent_fd = input.get(), .child_fd = STDIN_FILENO},
                                          {.parent_fd = output.get(), .child_fd = STDOUT_FILENO},
                                          {.parent_fd = error.get(), .child_fd = STDERR_FILENO}};
  auto started = ChildProcess::execute({.program = argument_pointers[0],
                                        .arguments = argument_pointers.data(),
                                        .environment = environment_pointers.data(),
                                        .descriptors = descriptors,
                                        .background = false});
  if (!started) throw std::runtime_error(started.error().message());
  process_.emplace(std::move(*started));
}

Child::~Child() {
  if (!status_) {
    process_->signal(SIGKILL);
    wait(std::chrono::seconds(10));
  }
  ::unlink(output_path_.c_str());
  ::unlink(error_path_.c_str());
}

std::string Child::standard_output() const { return read_file(output_path_).value_or(std::string()); }
std::string Child::standard_error() const { return read_file(error_path_).value_or(std::string()); }

std::optional<ExitStatus> Child::wait(std::chrono::milliseconds limit) {
  eventually(
      [this] {
        if (!status_) status_ = process_->try_reap();
        return status_.has_value();
      },
      limit);
  return status_;
}

int Child::exit_code(std::chrono::milliseconds limit) {
  const auto status = wait(limit);
  if (!status) return still_running;
  return status->signalled ? -status->value : status->value;
}

Finished run_to_end(std::vector<std::string> arguments, std::chrono::milliseconds limit) {
  Child child(std::move(arguments));
  const int code = child.exit_code(limit);
  return {.exit_code = code,
          .standard_output = child.standard_output(),
          .standard_error = child.standard_error()};
}

bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
  const auto deadline = MonotonicClock::now() + limit;
  while (!condition()) {
    if (MonotonicClock::now() >= deadline) return condition();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  const auto task = "/proc/" + std::to_string(parent) + "/task";
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator(task, error)) {
    const auto list = read_file(thread.path().string() + "/children").value_or(std::string());
    std::size_t at = 0;
    while (at < list.size()) {
      std::size_t used = 0;
      const pid_t pid = std::stoi(list.substr(at), &used);
      at += used + 1;
      const char state = process_state(pid);
      if (state != 0 && state != 'Z') children.push_back(pid);
    }
  }
  std::ranges::sort(children);
  return children;
}

char process_state(pid_t pid) {
  const std::string stat = stat_of(pid);
  const auto end_of_name = stat.rfind(')');
  return end_of_name == std::string::npos || end_of_name + 2 >= stat.size() ? '\0' : stat[end_of_name + 2];
}

std::string process_name(pid_t pid) {
  const std::string stat = stat_of(pid);
  const auto begin = stat.find('(');
  const auto end = stat.rfind(')');
  return begin == std::string::npos || end == std::string::npos ? std::string()
                                                                : stat.substr(begin + 1, end - begin - 1);
}

}  // namespace pilotlight::test
