// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/arm_word.h"
#include "common/child_process.h"
#include "common/heartbeat.h"
#include "common/worker_contract.h"

namespace pilotlight {

/// One worker under common/worker_contract.h: this program, executed once more, with the arm word that only
/// we write.
class SupervisedWorker {
 public:
  /// Starts it, disarmed. `arguments` are the worker's options.
  static Result<SupervisedWorker> start(const std::vector<std::string>& arguments);

  [[nodiscard]] int pidfd() const { return process_.pidfd(); }
  [[nodiscard]] int control_fd() const { return control_.get(); }

  /// True once, when the worker says that everything is attached. Never blocks.
  [[nodiscard]] bool became_ready() { return receive_ready(control_.get()).has_value(); }

  ArmWord& arm_word() { return arm_word_; }
  void send(ControlMessage message) { send_control(control_.get(), message); }
  void kill() { process_.signal(SIGKILL); }
  [[nodiscard]] std::uint64_t heartbeats() const { return heartbeat_.count(); }
  std::optional<ExitStatus> try_reap() { return process_.try_reap(); }

 private:
  SupervisedWorker(ArmWord arm_word, Heartbeat heartbeat, UniqueFd control, ChildProcess process)
      : arm_word_(std::move(arm_word)),
        heartbeat_(std::move(heartbeat)),
        control_(std::move(control)),
        process_(std::move(process)) {}

  ArmWord arm_word_;
  Heartbeat heartbeat_;
  UniqueFd control_;
  ChildProcess process_;
};

}  // namespace pilotlight
