// SPDX-License-Identifier: Apache-2.0
#include "supervisor/self_protection.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "common/unique_handle.h"

namespace pilotlight {

namespace {

constexpr int highest_nice = -20;
constexpr std::string_view protection_from_oom = "-900";

std::string refused(const std::string& what, const std::string& consequence) {
  return what + " was refused (" + std::generic_category().message(errno) + "): " + consequence;
}

}  // namespace

bool raise_priority(pid_t process) noexcept {
  // The lowest real-time priority is enough: it comes before everything that is not real-time itself.
  const sched_param lowest{.sched_priority = ::sched_get_priority_min(SCHED_FIFO)};
  if (::sched_setscheduler(process, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) == 0) return true;
  const int error = errno;
  // With CONFIG_RT_GROUP_SCHED a control group can have no real-time share.
  const sched_param none{.sched_priority = 0};
  ::sched_setscheduler(process, SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
  if (::setpriority(PRIO_PROCESS, static_cast<id_t>(process), highest_nice) == 0) return true;
  errno = error;
  return false;
}

std::vector<std::string> protect_this_process() {
  std::vector<std::string> refusals;
  if (!raise_priority(0))
    refusals.push_back(refused("a higher priority", "on a busy machine the killswitch acts later"));
  const UniqueFd oom(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (!oom || ::write(oom.get(), protection_from_oom.data(), protection_from_oom.size()) < 0)
    refusals.push_back(refused("protection from the OOM killer", "the kernel may choose pilotlightd"));
  // On fault: locking at once would make every page of every thread's stack resident.
  if (::mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) != 0)
    refusals.push_back(refused("locking memory", "when memory is short the killswitch acts later"));
  return refusals;
}

}  // namespace pilotlight
