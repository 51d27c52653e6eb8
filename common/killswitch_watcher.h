// SPDX-License-Identifier: Apache-2.0
//
// The watcher: a process of its own that touches the killswitch's path, so that nobody else has to. A
// filesystem that hangs puts whoever asks it into uninterruptible sleep; the watcher may sleep, its owner may
// not.
//
// It reports at least every second, and at once when inotify, the mount table or its owner gives a reason to
// look. inotify only shortens the wait: it is blind to mounts, overlays and some symbolic links, the level
// check is not.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/child_process.h"
#include "common/error.h"
#include "common/killswitch.h"
#include "common/unique_handle.h"

namespace pilotlight {

/// One message of the watcher; fixed in size, so that reading it needs no memory.
struct SwitchReport {
  SwitchReading reading;
  /// The switch was seen to appear since the last report, even if it is gone again: a pulse counts as
  /// engaged.
  bool appeared = false;
  /// CLOCK_MONOTONIC ns just before the check: a report that waited in the queue is no fresh answer.
  std::uint64_t checked_at_ns = 0;
  /// The directory that must stay (Directory::must_stay), as first seen; nothing if there is none.
  std::optional<DirectoryIdentity> directory;
  std::uint16_t reason_length = 0;
  char reason[2048] = {};  ///< killswitch_reason(), in a report of its own

  [[nodiscard]] bool engaged() const { return appeared || reading.state != SwitchState::released; }
  [[nodiscard]] std::string_view reason_text() const { return {reason, reason_length}; }
};

/// Silence of this length means engaged.
inline constexpr std::chrono::milliseconds watcher_silence_limit{1400};

/// The longest time between two reports of a healthy watcher.
inline constexpr std::chrono::milliseconds watcher_period{1000};

/// Owner's end of one watcher process.
class KillswitchWatcher {
 public:
  enum class Directory {
    may_be_missing,  ///< for a program run by hand: no directory, no switch
    must_stay,  ///< for the service: the directory of its start must still be there (it is made if missing)
  };

  /// Starts the watcher. Must be called from the main thread (its life is tied to that thread's). A watcher
  /// that takes the place of a dead one is given the directory that its predecessor reported: that one must
  /// still be there, and is not made again.
  static Result<KillswitchWatcher> start(Directory directory,
                                         const std::optional<DirectoryIdentity>& expected = std::nullopt);

  [[nodiscard]] pid_t pid() const { return process_.pid(); }

  /// Becomes readable when there is a report, or when the watcher has ended.
  [[nodiscard]] int fd() const { return socket_.get(); }

  struct Received {
    bool ended = false;  ///< the watcher is gone or talks nonsense: treat as engaged and start another one
    std::optional<SwitchReport> report;
  };
  /// The next report, never blocking; neither an end nor a report means that there is none yet.
  Received receive() noexcept;

  /// Asks for a check now. Never blocks.
  void request_check() noexcept;

  /// Kills a watcher that has fallen silent. Its end is then received like any other; one in uninterruptible
  /// sleep ends when it wakes.
  void kill() noexcept { process_.signal(SIGKILL); }

 private:
  KillswitchWatcher(ChildProcess process, UniqueFd socket)
      : process_(std::move(process)), socket_(std::move(socket)) {}

  ChildProcess process_;
  UniqueFd socket_;
};

}  // namespace pilotlight
