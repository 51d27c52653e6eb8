// SPDX-License-Identifier: Apache-2.0
#include "worker/guardian/target_processes.h"

#include <poll.h>
#include <sys/syscall.h>

#include <cerrno>
#include <string>

namespace pilotlight {

Result<TargetProcesses> TargetProcesses::open(const std::vector<std::uint32_t>& pids) {
  std::vector<UniqueFd> pidfds;
  for (const std::uint32_t pid : pids) {
    UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    // EINVAL: the number is that of a thread.
    if (!pidfd && (errno == ESRCH || errno == EINVAL))
      return std::unexpected(
          Error{"there is no process " + std::to_string(pid), ESRCH, "check the pid with `ps`"});
    if (!pidfd) return system_error("cannot watch process " + std::to_string(pid));
    pidfds.push_back(std::move(pidfd));
  }
  return TargetProcesses(std::move(pidfds));
}

bool TargetProcesses::all_ended() {
  std::erase_if(pidfds_, [](const UniqueFd& pidfd) {
    pollfd wait{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
    return ::poll(&wait, 1, 0) == 1;
  });
  return pidfds_.empty();
}

}  // namespace pilotlight
