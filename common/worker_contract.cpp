// SPDX-License-Identifier: Apache-2.0
#include "common/worker_contract.h"

#include <sys/socket.h>

#include <cerrno>

namespace pilotlight {

Result<void> send_ready(int control_fd, const WorkerReady& ready) {
  if (::send(control_fd, &ready, sizeof ready, MSG_NOSIGNAL) == sizeof ready) return {};
  return system_error("cannot tell the supervisor that the worker is ready");
}

std::optional<WorkerReady> receive_ready(int control_fd) noexcept {
  WorkerReady ready;
  if (::recv(control_fd, &ready, sizeof ready, MSG_DONTWAIT) != sizeof ready) return std::nullopt;
  if (ready.program_count > ready.program_ids.size()) return std::nullopt;
  return ready;
}

bool send_control(int control_fd, ControlMessage message) noexcept {
  return ::send(control_fd, &message, sizeof message, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof message;
}

ControlReceived receive_control(int control_fd) noexcept {
  ControlMessage message{};
  const ssize_t got = ::recv(control_fd, &message, sizeof message, MSG_DONTWAIT);
  if (got == sizeof message) return {.ended = false, .message = message};
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  return {.ended = true, .message = std::nullopt};
}

}  // namespace pilotlight
