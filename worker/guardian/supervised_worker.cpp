// SPDX-License-Identifier: Apache-2.0
#include "worker/guardian/supervised_worker.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

extern char** environ;

namespace pilotlight {

Result<SupervisedWorker> SupervisedWorker::start(const std::vector<std::string>& arguments) {
  auto arm_word = ArmWord::create();
  if (!arm_word) return std::unexpected(arm_word.error());
  const auto arm_word_reader = arm_word->read_only_fd();
  if (!arm_word_reader) return std::unexpected(arm_word_reader.error());
  auto heartbeat = Heartbeat::create();
  if (!heartbeat) return std::unexpected(heartbeat.error());
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return system_error("cannot create the worker's control socket");
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);

  std::vector<std::string> words{"pilotlight", std::string("--") + supervised_option};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const std::array descriptors{
      PassedDescriptor{.parent_fd = arm_word_reader->get(), .child_fd = worker_arm_word_fd},
      PassedDescriptor{.parent_fd = theirs.get(), .child_fd = worker_control_fd},
      PassedDescriptor{.parent_fd = heartbeat->fd(), .child_fd = worker_heartbeat_fd}};
  auto process =
      ChildProcess::execute({.program = "/proc/self/exe",
                             .arguments = pointers.data(),
                             .environment = environ,
                             .descriptors = descriptors,
                             // Somebody waits for this one: it keeps the priority of whoever started it.
                             .background = false});
  if (!process) return std::unexpected(process.error());
  return SupervisedWorker(std::move(*arm_word), std::move(*heartbeat), std::move(ours), std::move(*process));
}

}  // namespace pilotlight
