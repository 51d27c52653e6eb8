// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/unique_handle.h"
#include "tests/support/child.h"

namespace pilotlight::test {

/// Longer than anything takes on a busy machine; a case that fails takes this long, one that passes does not.
inline constexpr std::chrono::seconds patience{20};

/// Long enough for a supervisor with the fast settling time to do what it must not do.
inline constexpr std::chrono::milliseconds a_while{1300};

/// A running pilotlightd with worker_stand_in, seen from outside.
class Supervised {
 public:
  struct How {
    std::string program = "pilotlightd_fast_settling";
    std::vector<std::string> options{};  ///< of pilotlightd
    std::vector<std::string> environment{};
    bool own_run = false;  ///< a /run and so a lock of its own: several at a time
  };

  /// `worker` is the stand-in's mode and arguments.
  explicit Supervised(const std::vector<std::string>& worker = {}) : Supervised(worker, How()) {}
  Supervised(const std::vector<std::string>& worker, const How& how);

  [[nodiscard]] pid_t pid() const { return child_.pid(); }
  [[nodiscard]] Child& child() { return child_; }
  void signal(int number) const { child_.signal(number); }
  [[nodiscard]] std::string log() const { return child_.standard_error(); }
  [[nodiscard]] std::string output() const { return child_.standard_output(); }

  /// The worker or the watcher that now lives; 0 if there is none.
  [[nodiscard]] pid_t worker() const;
  [[nodiscard]] pid_t watcher() const;

  /// Waits for an armed worker other than `not_this`; 0 if none comes in time.
  [[nodiscard]] pid_t armed_worker(pid_t not_this = 0, std::chrono::milliseconds limit = patience) const;

  /// How many workers were started so far.
  [[nodiscard]] std::size_t starts() const;

  /// Whether the worker said this, or the log holds it; waits for it.
  [[nodiscard]] bool worker_says(const std::string& text, std::chrono::milliseconds limit = patience) const;
  [[nodiscard]] bool log_says(const std::string& text, std::chrono::milliseconds limit = patience) const;

 private:
  Child child_;
};

/// No such process any more, or only its zombie; waits for it.
bool dies(pid_t pid, std::chrono::milliseconds limit = patience);
bool is_alive(pid_t pid);

/// The arm word of a worker, taken from its descriptors: outlives the worker and the supervisor.
class ArmWordView {
 public:
  explicit ArmWordView(pid_t worker);
  /// Armed until, CLOCK_MONOTONIC ns; 0 when disarmed.
  [[nodiscard]] std::uint64_t value() const;
  [[nodiscard]] bool armed() const;

 private:
  UniqueFd fd_;
};

std::size_t count_of(const std::string& text, const std::string& part);

}  // namespace pilotlight::test
