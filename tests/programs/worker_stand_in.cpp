// SPDX-License-Identifier: Apache-2.0
//
// A worker without a profiler: speaks the whole contract of common/worker_contract.h and can misbehave in
// every way a worker can. `worker_stand_in --supervised [MODE [ARGUMENT…]]`; what it does goes to standard
// output, a line each.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "common/arm_word.h"
#include "common/exit_code.h"
#include "common/fatal_error.h"
#include "common/heartbeat.h"
#include "common/killswitch.h"
#include "common/signals.h"
#include "common/worker_contract.h"

namespace {

using namespace pilotlight;

constexpr int beat_period_ms = 100;

/// One write a line, so that lines of several processes do not mix.
void say(const std::string& what) {
  const std::string line = "worker " + std::to_string(::getpid()) + " " + what + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, line.data(), line.size());
}

void show_surroundings() {
  std::string descriptors;
  std::vector<int> numbers;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    numbers.push_back(std::stoi(entry.path().filename()));
  std::ranges::sort(numbers);
  // The highest is the directory being read.
  numbers.pop_back();
  for (const int number : numbers) descriptors += " " + std::to_string(number);
  say("descriptors" + descriptors);
  for (char** variable = environ; *variable != nullptr; ++variable)
    say(std::string("environment ") + *variable);
  say("directory " + std::filesystem::current_path().string());
  say("input " + std::filesystem::read_symlink("/proc/self/fd/0").string());
  sigset_t blocked;
  ::sigprocmask(SIG_BLOCK, nullptr, &blocked);
  say(std::string("signals ") + (sigisemptyset(&blocked) != 0 ? "unblocked" : "blocked"));
}

/// Leaves the session, the process group and the family.
void start_descendant() {
  if (::fork() != 0) return;
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  ::setsid();
  say("descendant " + std::to_string(::getpid()));
  for (;;) ::pause();
}

void occupy_memory(std::size_t megabytes) {
  constexpr std::size_t megabyte = 1U << 20U;
  static std::vector<char> memory;
  memory.assign(megabytes * megabyte, 'x');
}

void spin(int threads) {
  for (int i = 0; i < threads; ++i)
    std::thread([] {
      for (std::atomic<unsigned long> count = 0;;) count.fetch_add(1, std::memory_order_relaxed);
    }).detach();
}

/// What happens before readiness. True if the worker shall be ready.
bool prepare(const std::string& mode, const std::vector<std::string>& arguments, WorkerReady& ready) {
  if (mode == "crash") std::abort();
  if (mode == "exit") std::exit(std::stoi(arguments.at(0)));  // NOLINT(concurrency-mt-unsafe): one thread
  if (mode == "show-surroundings") show_surroundings();
  if (mode == "descendants")
    for (int i = 0; i < std::stoi(arguments.at(0)); ++i) start_descendant();
  if (mode == "memory") occupy_memory(std::stoul(arguments.at(0)));
  if (mode == "spin") spin(std::stoi(arguments.at(0)));
  if (mode == "programs")
    for (const std::string& id : arguments)
      ready.program_ids[ready.program_count++] = static_cast<std::uint32_t>(std::stoul(id));
  return mode != "never-ready";
}

class StandIn {
 public:
  StandIn(std::string mode, Heartbeat heartbeat, SignalDescriptor signals)
      : mode_(std::move(mode)), heartbeat_(std::move(heartbeat)), signals_(std::move(signals)) {}

  ExitCode run() {
    for (;;) {
      std::array<pollfd, 2> waits{pollfd{.fd = worker_control_fd, .events = POLLIN, .revents = 0},
                                  pollfd{.fd = signals_.fd(), .events = POLLIN, .revents = 0}};
      ::poll(waits.data(), waits.size(), beat_period_ms);
      if (mode_ != "no-heartbeat") heartbeat_.beat();
      const ControlReceived received = receive_control(worker_control_fd);
      if (received.ended) return ExitCode::failure;
      if (received.message == ControlMessage::armed) begin();
      const bool asked = received.message == ControlMessage::finish || signals_.next().has_value();
      if (asked && mode_ != "ignore-finish") {
        say("finished");
        return ExitCode::done;
      }
    }
  }

 private:
  void begin() const {
    const auto word = read_arm_word(worker_arm_word_fd);
    say(word && *word != 0 ? "armed" : "told to begin on a disarmed word");
    if (mode_ == "stop-itself") ::raise(SIGSTOP);
    if (mode_ == "crash-when-armed") std::abort();
  }

  std::string mode_;
  Heartbeat heartbeat_;
  SignalDescriptor signals_;
};

ExitCode work(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != std::string("--") + supervised_option) return ExitCode::usage;
  arguments.erase(arguments.begin());
  if (!arguments.empty() && arguments.front() == std::string("--") + override_option) {
    say("overrides the killswitch");
    arguments.erase(arguments.begin());
  }
  const std::string mode = arguments.empty() ? "well-behaved" : arguments.front();
  if (!arguments.empty()) arguments.erase(arguments.begin());
  say("started");
  value_or_throw(verify_arm_word(worker_arm_word_fd));
  WorkerReady ready;
  const bool becomes_ready = prepare(mode, arguments, ready);
  StandIn stand_in(mode, value_or_throw(Heartbeat::open(UniqueFd(worker_heartbeat_fd))),
                   value_or_throw(SignalDescriptor::create({SIGTERM})));
  if (becomes_ready) value_or_throw(send_ready(worker_control_fd, ready));
  return stand_in.run();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return std::to_underlying(work({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::cerr << "worker_stand_in: " << error.what() << '\n';
    return 1;
  }
}
