// SPDX-License-Identifier: Apache-2.0
#include "supervisor/worker_process.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace pilotlight {

namespace {

constexpr int highest_nice = -20;
constexpr std::array inherited_variables{"PATH", "HOME", "LANG", "TZ"};

std::vector<char*> null_terminated(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

void release_memory_of(void* pidfd) {
  const int status = static_cast<int>(::syscall(SYS_process_mrelease, *static_cast<const int*>(pidfd), 0U));
  ::_exit(status == 0 ? 0 : 1);
}

}  // namespace

WorkerCommand::WorkerCommand(const std::string& program, const std::vector<std::string>& options)
    : arguments_{program, std::string("--") + supervised_option} {
  arguments_.insert(arguments_.end(), options.begin(), options.end());
  for (const char* name : inherited_variables)
    if (const char* value = std::getenv(name); value != nullptr)
      environment_.push_back(std::string(name) + "=" + value);
}

std::vector<char*> WorkerCommand::arguments() { return null_terminated(arguments_); }
std::vector<char*> WorkerCommand::environment() { return null_terminated(environment_); }

Result<WorkerProcess> WorkerProcess::spawn(WorkerCommand& command, const Surroundings& surroundings) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return system_error("cannot create the worker's control socket");
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  auto heartbeat = Heartbeat::create();
  if (!heartbeat) return std::unexpected(heartbeat.error());
  const std::array descriptors{
      PassedDescriptor{.parent_fd = surroundings.null_fd, .child_fd = STDIN_FILENO},
      PassedDescriptor{.parent_fd = surroundings.arm_word_fd, .child_fd = worker_arm_word_fd},
      PassedDescriptor{.parent_fd = theirs.get(), .child_fd = worker_control_fd},
      PassedDescriptor{.parent_fd = heartbeat->fd(), .child_fd = worker_heartbeat_fd}};
  const auto arguments = command.arguments();
  const auto environment = command.environment();
  auto process = ChildProcess::execute({.program = arguments.front(),
                                        .arguments = arguments.data(),
                                        .environment = environment.data(),
                                        .descriptors = descriptors,
                                        .cgroup_fd = surroundings.cgroup_fd});
  if (!process) return std::unexpected(process.error());
  return WorkerProcess(std::move(*process), std::move(ours), std::move(*heartbeat), surroundings.proc_fd);
}

void WorkerProcess::receive_execution() noexcept {
  execution_error_ = process_.exec_failure();
  execution_is_known_ = true;
}

bool WorkerProcess::receive_readiness(TimePoint now) noexcept {
  const auto ready = receive_ready(control_.get());
  // The worker has nothing else to say: a second message, an invalid one and the end of the socket all mean
  // that there is no use in listening on. If it never became ready, the time limit deals with it.
  listening_ = false;
  if (!ready || ready_) return false;
  programs_ = *ready;
  ready_ = true;
  beats_ = heartbeat_.count();
  last_beat_ = now;
  return true;
}

void WorkerProcess::tell_to_finish() noexcept {
  send_control(control_.get(), ControlMessage::finish);
  process_.signal(SIGTERM);
  // A stopped process would not get to it.
  process_.signal(SIGCONT);
}

bool WorkerProcess::heart_stopped(TimePoint now) noexcept {
  if (!ready_) return false;
  const std::uint64_t beats = heartbeat_.count();
  if (std::exchange(beats_, beats) != beats) last_beat_ = now;
  return now - last_beat_ >= heartbeat_limit;
}

void WorkerProcess::kill() noexcept {
  const auto group = static_cast<id_t>(process_.pid());
  const sched_param none{.sched_priority = 0};
  ::sched_setscheduler(process_.pid(), SCHED_OTHER, &none);
  ::setpriority(PRIO_PGRP, group, highest_nice);
  process_.signal(SIGKILL);
  process_.signal_group(SIGKILL);
}

void WorkerProcess::release_memory() {
  if (memory_releaser_ && !memory_releaser_->try_reap()) return;
  memory_releaser_.reset();
  int pidfd = process_.pidfd();
  if (auto started = ChildProcess::run(release_memory_of, &pidfd, pidfd))
    memory_releaser_.emplace(std::move(*started));
}

std::optional<ExitStatus> WorkerProcess::reap() noexcept {
  // While its leader is not reaped, the number of the process group cannot belong to anybody else.
  process_.signal_group(SIGKILL);
  auto status = process_.try_reap();
  death_is_held_ = !status;
  return status;
}

char WorkerProcess::process_state() const noexcept {
  std::array<char, 32> name{};
  const auto [end, error] =
      std::to_chars(name.data(), name.data() + name.size() - sizeof "/stat", process_.pid());
  if (error != std::errc()) return '?';
  std::string_view("/stat").copy(end, sizeof "/stat" - 1);
  const UniqueFd stat(::openat(proc_fd_, name.data(), O_RDONLY | O_CLOEXEC));
  std::array<char, 128> text;
  const ssize_t got = stat ? ::read(stat.get(), text.data(), text.size()) : -1;
  if (got <= 0) return '?';
  const std::string_view line(text.data(), static_cast<std::size_t>(got));
  const auto end_of_name = line.rfind(')');
  return end_of_name == std::string_view::npos || end_of_name + 2 >= line.size() ? '?'
                                                                                 : line[end_of_name + 2];
}

}  // namespace pilotlight
