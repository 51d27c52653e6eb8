// SPDX-License-Identifier: Apache-2.0
//
// What the supervisor believes about the killswitch: the watcher's reports, their age, its silence, its
// replacement, and the override. Everything but a fresh "released" is "engaged".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "common/clock.h"
#include "common/error.h"
#include "common/killswitch_watcher.h"

namespace pilotlight {

class SwitchMonitor {
 public:
  using TimePoint = MonotonicClock::time_point;

  enum class Verdict : std::uint8_t {
    none,      ///< nothing new
    released,  ///< checked at most 1.4 s ago and after the last ask()
    engaged,   ///< or in doubt
  };

  /// Why the last verdict was what it was.
  enum class Ground : std::uint8_t {
    no_report_yet,
    released,
    present,             ///< there is an entry at the path
    pulse,               ///< there was one, for a moment
    unreadable,          ///< the check failed with an errno
    directory_replaced,  ///< the directory of the start is not the one at the path
    directory_missing,   ///< there is none and it could not be made
    silent,              ///< no report for 1.4 s
    watcher_ended,       ///< or talked nonsense
  };

  /// Starts the watcher. `overridden`: the verdict is "released" whatever the watcher says, also if it says
  /// nothing.
  static Result<SwitchMonitor> start(bool overridden);

  /// What to wait for; −1 while there is no watcher.
  [[nodiscard]] int fd() const { return watcher_ ? watcher_->fd() : -1; }

  /// When listen() has something to say even if fd() is not readable.
  [[nodiscard]] TimePoint next_deadline() const;

  /// Takes all reports there are. One against the switch outweighs all others of the same turn. Allocates
  /// nothing and never blocks.
  Verdict listen(TimePoint now) noexcept;

  /// From now on only a check that began later counts as "released".
  void ask(TimePoint now) noexcept;

  /// Starts a watcher in place of one that ended, at most one a second. A silent one is killed, and replaced
  /// once it is dead: where it is stuck in the kernel, another would get stuck beside it. An error if that
  /// was tried in vain.
  Result<void> replace_watcher(TimePoint now);

  [[nodiscard]] bool overridden() const { return overridden_; }
  [[nodiscard]] Ground ground() const { return ground_; }

  /// One clause for people, with the errno's text, after the word "killswitch".
  [[nodiscard]] std::string description() const;

  /// True once after each change of the ground.
  [[nodiscard]] bool take_news() noexcept;

  /// The text in the switch's file, if there is one that was not taken yet.
  [[nodiscard]] std::optional<std::string> take_reason();

 private:
  SwitchMonitor(KillswitchWatcher watcher, bool overridden, TimePoint now);
  void adopt(KillswitchWatcher watcher, TimePoint now);
  [[nodiscard]] Verdict weigh(const SwitchReport& report, TimePoint now) noexcept;
  [[nodiscard]] Verdict hear_reports(TimePoint now) noexcept;
  void conclude(Ground ground, int error_number) noexcept;

  std::optional<KillswitchWatcher> watcher_;
  bool overridden_;
  std::optional<DirectoryIdentity> directory_;
  TimePoint watcher_started_;
  TimePoint last_check_;    ///< of the newest report
  TimePoint asked_;         ///< the last ask()
  TimePoint next_verdict_;  ///< in silence or under the override, a verdict is due without a report
  Ground ground_ = Ground::no_report_yet;
  int error_number_ = 0;
  bool silent_ = false;
  bool news_ = false;
  bool reason_is_new_ = false;
  std::size_t reason_length_ = 0;
  std::array<char, sizeof SwitchReport{}.reason> reason_{};
};

}  // namespace pilotlight
