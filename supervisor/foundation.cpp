// SPDX-License-Identifier: Apache-2.0
#include "supervisor/foundation.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "common/fatal_error.h"
#include "common/killswitch.h"
#include "common/log.h"
#include "common/version.h"
#include "supervisor/self_protection.h"

namespace pilotlight {

namespace {

constexpr mode_t no_group_or_world_writing = 022;

/// A parent may have closed 0, 1 or 2; a descriptor of ours in their place would be written to by every
/// message.
void occupy_standard_descriptors() {
  for (;;) {
    UniqueFd fd(::open("/dev/null", O_RDWR));  // NOLINT(android-cloexec-open): inherited
    if (!fd || fd.get() > STDERR_FILENO) return;
    static_cast<void>(fd.release());
  }
}

UniqueFd open_or_throw(const char* path, int flags) {
  UniqueFd fd(::open(path, flags | O_CLOEXEC));
  if (!fd)
    throw FatalError(ExitCode::not_permitted, system_error(std::string("cannot open ") + path).error());
  return fd;
}

void require_worker_program(const std::string& path) {
  struct stat status{};
  const std::string remedy = "install it there, or name it with --worker";
  if (::stat(path.c_str(), &status) != 0)
    throw FatalError(ExitCode::usage,
                     system_error("cannot find the worker's program " + path, remedy).error());
  if (!S_ISREG(status.st_mode) || ::access(path.c_str(), X_OK) != 0)
    throw FatalError(ExitCode::usage,
                     failure(path + " is not a program that can be executed", remedy).error());
}

std::vector<std::string> worker_options(const Options& options) {
  std::vector<std::string> all;
  // The worker checks the switch itself too.
  if (options.override_killswitch) all.push_back(std::string("--") + override_option);
  all.insert(all.end(), options.worker_options.begin(), options.worker_options.end());
  return all;
}

void log_beginning(const Options& options, const Foundation& foundation,
                   const std::vector<std::string>& notes) {
  log(Severity::info, std::string("version ") + version + ", worker " + options.worker);
  log(Severity::info, std::string("the killswitch is ") + killswitch_path + ": `touch " + killswitch_path +
                          "` stops the profiler at once, `rm " + killswitch_path + "` lets it start again");
  if (foundation.cgroup) log(Severity::info, "the worker's control group is " + foundation.cgroup->path());
  for (const std::string& note : notes) log(Severity::warning, note);
}

}  // namespace

Foundation lay_foundation(const Options& options) {
  occupy_standard_descriptors();
  ::umask(no_group_or_world_writing);
  if (::chdir("/") != 0) throw FatalError(ExitCode::failure, system_error("cannot enter /").error());
  auto signals = value_or_throw(SignalDescriptor::create({SIGTERM, SIGINT, SIGCHLD}));
  require_worker_program(options.worker);
  value_or_throw(verify_clock_is_the_kernels(), ExitCode::not_permitted);
  auto lock = InstanceLock::take();
  std::vector<std::string> notes = protect_this_process();
  auto arm_word = value_or_throw(ArmWord::create(), ExitCode::not_permitted);
  auto worker_arm_word = value_or_throw(arm_word.read_only_fd(), ExitCode::not_permitted);
  UniqueFd null = open_or_throw("/dev/null", O_RDWR);
  UniqueFd proc = open_or_throw("/proc", O_RDONLY | O_DIRECTORY);
  auto created = WorkerCgroup::create();
  std::optional<WorkerCgroup> cgroup;
  if (created) {
    cgroup.emplace(std::move(*created));
    cgroup->kill();  // what an earlier supervisor left; that it is gone is seen before the first spawn
  } else {
    notes.push_back("the worker gets no control group of its own (" + created.error().message() +
                    "): a descendant that leaves its process group would survive a kill");
  }
  // Forked before there is a second thread, and with the higher priority of this process.
  auto killswitch = value_or_throw(SwitchMonitor::start(options.override_killswitch));
  start_log("pilotlightd", options.log_level);
  Foundation foundation{.signals = std::move(signals),
                        .lock = std::move(lock),
                        .arm_word = std::move(arm_word),
                        .worker_arm_word = std::move(worker_arm_word),
                        .null = std::move(null),
                        .proc = std::move(proc),
                        .cgroup = std::move(cgroup),
                        .killswitch = std::move(killswitch),
                        .command = WorkerCommand(options.worker, worker_options(options))};
  log_beginning(options, foundation, notes);
  return foundation;
}

}  // namespace pilotlight
