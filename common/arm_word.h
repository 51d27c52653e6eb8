// SPDX-License-Identifier: Apache-2.0
//
// The arm word: a lease on collecting, kept in the kernel. A one-entry BPF array that holds a time,
// CLOCK_MONOTONIC ns. Every BPF program of pilotlight looks at it first and does nothing unless that time is
// ahead, by at most max_lease (bpf/arm.bpf.h). Only the owner, who watches the killswitch, can write it:
// storing 0 ends the collection within microseconds whatever state the worker is in, and an owner that hangs
// or dies lets the lease run out.
#pragma once

#include <chrono>
#include <cstdint>

#include "common/error.h"
#include "common/unique_handle.h"

namespace pilotlight {

/// How long one renewal lasts.
inline constexpr std::chrono::seconds lease_length{3};

/// A word further ahead than this is not believed: in a time namespace the owner's clock could be days ahead.
/// bpf/arm.bpf.h holds the same number for the kernel side.
inline constexpr std::chrono::seconds longest_believed_lease{4};

/// The owner's writable side. One thread writes; after disarm() nothing but a new grant() arms again.
class ArmWord {
 public:
  /// Creates the word, disarmed. Needs CAP_BPF.
  static Result<ArmWord> create();

  /// A descriptor that can read the word and be used by BPF programs, but not write: what the worker gets.
  /// Needs CAP_SYS_ADMIN.
  [[nodiscard]] Result<UniqueFd> read_only_fd() const;

  /// Arms for lease_length from now. False if the kernel refused, which must be treated as a lost lease.
  [[nodiscard]] bool grant() noexcept;

  /// Renews an unexpired lease. False if it had expired (this process slept through it) or the kernel
  /// refused: then the word is disarmed and the worker must be killed, since nobody watched meanwhile.
  [[nodiscard]] bool renew() noexcept;

  /// Ends the collection. Allocates nothing, blocks on nothing. False if the kernel refused the write.
  bool disarm() noexcept;

 private:
  explicit ArmWord(UniqueFd map) : map_(std::move(map)) {}
  [[nodiscard]] bool store(std::uint64_t armed_until_ns) noexcept;

  UniqueFd map_;
  std::uint64_t armed_until_ns_ = 0;
};

/// The word as a holder of the read-only descriptor sees it: armed until this time, 0 for disarmed.
Result<std::uint64_t> read_arm_word(int read_only_fd);

/// Fails unless fd is a descriptor of a map shaped like the arm word that this process cannot write. A worker
/// calls it so that it never runs on a word that it could set itself.
Result<void> verify_arm_word(int fd);

/// Fails where this process's clock is not the one BPF programs read (inside a time namespace).
Result<void> verify_clock_is_the_kernels();

}  // namespace pilotlight
