// SPDX-License-Identifier: Apache-2.0
//
// The BPF side, owned: what bpf/ builds, loaded and attached. Everything is held by descriptors of this
// process and nothing is pinned, so that its death, by whatever means, takes all of it away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bpf/records.h"
#include "common/error.h"
#include "common/unique_handle.h"

namespace pilotlight {

struct SamplingProgramSettings {
  int arm_word_fd = -1;        ///< read-only descriptor of the arm word; the programs do nothing without it
  bool only_targets = false;   ///< sample only the processes given by add_target() and their later children
  bool kernel_stacks = true;   ///< else only the kernel address that was running
  std::size_t ring_bytes = 0;  ///< of the sample ring; rounded up to what the kernel takes
};

class SamplingProgram {
 public:
  /// Opens, sizes and loads; nothing runs yet. Errors carry what the kernel said.
  static Result<SamplingProgram> load(const SamplingProgramSettings& settings);

  SamplingProgram(SamplingProgram&&) noexcept;
  SamplingProgram& operator=(SamplingProgram&&) noexcept;
  ~SamplingProgram();

  /// Lets the program run at each overflow of a sampling event; takes the event.
  Result<void> attach(UniqueFd sampling_event);

  /// Follows children of targets; only with only_targets.
  Result<void> attach_following();

  /// Enables or disables every attached sampling event.
  Result<void> enable();
  Result<void> disable();

  /// `start_ticks`: field 22 of /proc/PID/stat.
  Result<void> add_target(std::uint32_t pid, std::uint64_t start_ticks);

  /// Pids of the targets, children that joined included.
  [[nodiscard]] std::vector<std::uint32_t> targets() const;

  /// Hands out every sample record that is in the ring. The bytes are valid during the call only.
  void read_samples(const std::function<void(std::span<const std::byte>)>& receive);

  /// The sum over all CPUs.
  [[nodiscard]] Result<pilotlight_counters> counters() const;

  /// Kernel ids of the loaded programs.
  [[nodiscard]] std::vector<std::uint32_t> program_ids() const;

 private:
  struct Loaded;
  explicit SamplingProgram(std::unique_ptr<Loaded> loaded);
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace pilotlight
