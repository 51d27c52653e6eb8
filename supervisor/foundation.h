// SPDX-License-Identifier: Apache-2.0
//
// Everything the supervisor needs, acquired in the one order that is safe. This is the only part that touches
// paths.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/arm_word.h"
#include "common/signals.h"
#include "common/unique_handle.h"
#include "supervisor/instance_lock.h"
#include "supervisor/options.h"
#include "supervisor/switch_monitor.h"
#include "supervisor/worker_cgroup.h"
#include "supervisor/worker_process.h"

namespace pilotlight {

struct Foundation {
  SignalDescriptor signals;
  InstanceLock lock;
  ArmWord arm_word;
  UniqueFd worker_arm_word;  ///< read-only, given to every worker
  UniqueFd null;             ///< /dev/null, the workers' standard input
  UniqueFd proc;             ///< /proc, by which a worker's state is looked up
  std::optional<WorkerCgroup> cgroup;
  SwitchMonitor killswitch;
  WorkerCommand command;

  [[nodiscard]] WorkerProcess::Surroundings surroundings() const {
    return {.null_fd = null.get(),
            .arm_word_fd = worker_arm_word.get(),
            .cgroup_fd = cgroup ? cgroup->fd() : -1,
            .proc_fd = proc.get()};
  }
};

/// Throws FatalError with a message and exit code. Starts the log last, and begins it with what a reader must
/// know.
Foundation lay_foundation(const Options& options);

}  // namespace pilotlight
