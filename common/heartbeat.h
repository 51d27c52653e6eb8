// SPDX-License-Identifier: Apache-2.0
//
// The worker's sign of life: a counter in memory shared with its owner. Beating costs the worker one store
// and the owner no wake-up; the owner looks in its one-second turn.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/error.h"
#include "common/unique_handle.h"

namespace pilotlight {

class Heartbeat {
 public:
  /// A new counter at 0 (the owner's side).
  static Result<Heartbeat> create();

  /// The counter behind an inherited descriptor (the worker's side).
  static Result<Heartbeat> open(UniqueFd fd);

  Heartbeat(Heartbeat&& other) noexcept;
  Heartbeat& operator=(Heartbeat&& other) noexcept;
  ~Heartbeat();

  [[nodiscard]] int fd() const { return fd_.get(); }
  void beat() noexcept { counter_->fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t count() const noexcept { return counter_->load(std::memory_order_relaxed); }

 private:
  using Counter = std::atomic<std::uint64_t>;
  static_assert(Counter::is_always_lock_free);
  Heartbeat(UniqueFd fd, Counter* counter) : fd_(std::move(fd)), counter_(counter) {}

  UniqueFd fd_;
  Counter* counter_ = nullptr;
};

}  // namespace pilotlight
