// SPDX-License-Identifier: Apache-2.0
#include "tests/system/supervisor_fixture.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <sstream>
#include <stdexcept>

#include "common/arm_word.h"
#include "common/clock.h"
#include "common/worker_contract.h"
#include "tests/support/requires.h"

namespace pilotlight::test {

namespace {

constexpr char worker_program[] = "worker_stand_in";

std::vector<std::string> command_line(const std::vector<std::string>& worker, const Supervised::How& how) {
  const std::string bin = std::string(PILOTLIGHT_BIN_DIR) + "/";
  std::vector<std::string> arguments{bin + how.program, "--worker", bin + worker_program, "--log-level",
                                     "debug"};
  if (how.own_run) {
    const std::vector<std::string> prefix{find_program("unshare"),
                                          "--mount",
                                          "/bin/sh",
                                          "-c",
                                          R"(mount -t tmpfs none /run && exec "$@")",
                                          "sh"};
    arguments.insert(arguments.begin(), prefix.begin(), prefix.end());
  }
  arguments.insert(arguments.end(), how.options.begin(), how.options.end());
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), worker.begin(), worker.end());
  return arguments;
}

}  // namespace

Supervised::Supervised(const std::vector<std::string>& worker, const How& how)
    : child_(command_line(worker, how), how.environment) {}

pid_t Supervised::worker() const {
  for (const pid_t child : children_of(pid()))
    if (process_name(child) == worker_program) return child;
  return 0;
}

pid_t Supervised::watcher() const {
  for (const pid_t child : children_of(pid()))
    if (process_name(child).starts_with("pilotlightd")) return child;
  return 0;
}

pid_t Supervised::armed_worker(pid_t not_this, std::chrono::milliseconds limit) const {
  pid_t found = 0;
  eventually(
      [&] {
        const pid_t candidate = worker();
        if (candidate == 0 || candidate == not_this) return false;
        const std::string armed = "worker " + std::to_string(candidate) + " armed\n";
        if (child_.standard_output().find(armed) == std::string::npos) return false;
        found = candidate;
        return true;
      },
      limit);
  return found;
}

std::size_t Supervised::starts() const { return count_of(child_.standard_output(), " started\n"); }

bool Supervised::worker_says(const std::string& text, std::chrono::milliseconds limit) const {
  return eventually([&] { return child_.standard_output().find(text) != std::string::npos; }, limit);
}

bool Supervised::log_says(const std::string& text, std::chrono::milliseconds limit) const {
  return eventually([&] { return child_.standard_error().find(text) != std::string::npos; }, limit);
}

bool is_alive(pid_t pid) {
  const char state = process_state(pid);
  return state != '\0' && state != 'Z' && state != 'X';
}

bool dies(pid_t pid, std::chrono::milliseconds limit) {
  return eventually([pid] { return !is_alive(pid); }, limit);
}

ArmWordView::ArmWordView(pid_t worker) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, worker, 0)));
  fd_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), worker_arm_word_fd, 0)));
  if (!fd_) throw std::runtime_error("cannot take the worker's arm word");
}

std::uint64_t ArmWordView::value() const { return read_arm_word(fd_.get()).value(); }

bool ArmWordView::armed() const { return value() > to_nanoseconds(MonotonicClock::now()); }

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace pilotlight::test
