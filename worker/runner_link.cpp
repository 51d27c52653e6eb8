// SPDX-License-Identifier: Apache-2.0
#include "worker/runner_link.h"

#include <poll.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "common/arm_word.h"
#include "common/fatal_error.h"
#include "common/worker_contract.h"

namespace pilotlight {

RunnerLink RunnerLink::adopt() {
  // The guardian executes us through /proc/self/exe, which would name the process "exe".
  ::prctl(PR_SET_NAME, "pilotlight");
  UniqueFd arm_word(worker_arm_word_fd);
  UniqueFd control(worker_control_fd);
  if (auto verified = verify_arm_word(arm_word.get()); !verified)
    throw FatalError(ExitCode::usage, "--" + std::string(supervised_option) +
                                          " is for pilotlightd only: " + verified.error().message());
  auto heartbeat = value_or_throw(Heartbeat::open(UniqueFd(worker_heartbeat_fd)), ExitCode::usage);
  auto signals = value_or_throw(SignalDescriptor::create({SIGTERM}));
  return {std::move(arm_word), std::move(control), std::move(heartbeat), std::move(signals)};
}

void RunnerLink::tell_ready(const std::vector<std::uint32_t>& program_ids) {
  WorkerReady ready;
  ready.program_count = static_cast<std::uint32_t>(std::min(program_ids.size(), ready.program_ids.size()));
  std::copy_n(program_ids.begin(), ready.program_count, ready.program_ids.begin());
  value_or_throw(send_ready(control_.get(), ready));
}

Order RunnerLink::wait(std::chrono::milliseconds longest) {
  beat();
  std::array waits{pollfd{.fd = control_.get(), .events = POLLIN, .revents = 0},
                   pollfd{.fd = signals_.fd(), .events = POLLIN, .revents = 0}};
  ::poll(waits.data(), waits.size(), static_cast<int>(std::max<std::int64_t>(0, longest.count())));
  beat();
  const auto received = receive_control(control_.get());
  if (received.ended) return Order::leave;
  if (received.message == ControlMessage::armed) return Order::begin;
  if (received.message == ControlMessage::halt) return Order::halt;
  if (received.message == ControlMessage::finish || signals_.next() == SIGTERM) return Order::finish;
  return Order::none;
}

}  // namespace pilotlight
