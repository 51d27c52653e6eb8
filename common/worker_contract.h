// SPDX-License-Identifier: Apache-2.0
//
// All that a worker and the process that runs it agree on. The runner is pilotlightd, or the small guardian
// process of a pilotlight started by hand; the worker cannot tell them apart.
//
//  1. The runner executes `pilotlight --supervised OPTION…` with the descriptors below and the arm word
//     disarmed.
//  2. The worker checks the killswitch itself, verifies the arm word, loads and attaches its BPF programs,
//     and sends WorkerReady. Nothing is collected yet.
//  3. The runner checks the killswitch again, arms the word, and sends ControlMessage::armed. The worker
//     begins.
//  4. The worker beats its heart at least every heartbeat_interval, whatever it is doing.
//  5. It ends by itself (exit codes of common/exit_code.h), on ControlMessage::finish, on SIGTERM (the same),
//     on ControlMessage::halt, or by SIGKILL, which needs nothing of it.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "common/error.h"

namespace pilotlight {

/// Hidden option of `pilotlight`: run as a worker on the descriptors below.
inline constexpr char supervised_option[] = "supervised";

/// Descriptors of the worker besides 0, 1 and 2.
inline constexpr int worker_arm_word_fd = 3;   ///< the arm word, read-only
inline constexpr int worker_control_fd = 4;    ///< SOCK_SEQPACKET: WorkerReady one way, ControlMessage back
inline constexpr int worker_heartbeat_fd = 5;  ///< common/heartbeat.h

/// The runner gives up on a worker that is not ready, or does not beat, for this long.
inline constexpr std::chrono::seconds readiness_limit{30};
inline constexpr std::chrono::seconds heartbeat_limit{10};
inline constexpr std::chrono::seconds heartbeat_interval{1};

/// How long a halted adhoc run may take to write what it has.
inline constexpr std::chrono::seconds halt_limit{2};

/// How long a finishing worker may take to write its last profile before it is killed.
inline constexpr std::chrono::seconds finish_limit{5};

/// Sent once, when every program is attached. The ids let the runner check after the worker's death that they
/// are gone too.
struct WorkerReady {
  std::uint32_t program_count = 0;
  std::array<std::uint32_t, 16> program_ids{};
};

enum class ControlMessage : std::uint8_t {
  armed = 1,   ///< collecting is on: start the clock
  finish = 2,  ///< stop, write the profile in full, exit
  halt = 3,  ///< the killswitch was pulled: stop, write what there is without heavy work, exit with `refused`
};

Result<void> send_ready(int control_fd, const WorkerReady& ready);

/// Nothing if no valid message is there; never blocks.
std::optional<WorkerReady> receive_ready(int control_fd) noexcept;

/// Never blocks. False if the other side is gone or does not read.
bool send_control(int control_fd, ControlMessage message) noexcept;

struct ControlReceived {
  bool ended = false;  ///< the runner is gone
  std::optional<ControlMessage> message;
};
/// Never blocks.
ControlReceived receive_control(int control_fd) noexcept;

}  // namespace pilotlight
