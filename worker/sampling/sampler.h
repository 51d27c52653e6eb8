// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/error.h"
#include "worker/kernel/perf_event.h"
#include "worker/kernel/perf_records.h"
#include "worker/kernel/sampling_program.h"
#include "worker/process/process_id.h"
#include "worker/sampling/batch.h"

namespace pilotlight {

struct SamplerSettings {
  int arm_word_fd = -1;
  std::uint32_t frequency = 0;  ///< samples per second and CPU
  SamplingEvent event = SamplingEvent::cpu_clock;
  bool only_targets = false;  ///< see add_target()
  bool kernel_stacks = true;
};

/// Ticks and CPU time of a stretch of sampling, for the accounting.
struct SamplingTally {
  std::chrono::nanoseconds duration{0};
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;          ///< the ring was full
  std::uint64_t busy_ticks = 0;    ///< samples, lost, and ticks of processes that are not profiled
  std::uint64_t missed_ticks = 0;  ///< due by the machine's CPU time (stolen time included), but never seen
  std::uint64_t expected = 0;      ///< frequency × CPU time of what is profiled
};

/// The sampling of all online CPUs, and the feed of process events beside it.
class Sampler {
 public:
  /// Loads and attaches everything; samples nothing before begin().
  static Result<Sampler> create(const SamplerSettings& settings);

  /// A process to profile, with the children that it will have; only with only_targets, before begin().
  /// Fails if there is no such process.
  Result<void> add_target(std::uint32_t pid);

  /// Starts the clock and the sampling. The arm word is armed by now.
  Result<void> begin();

  /// Stops sampling; what was taken can still be collected.
  Result<void> end();

  /// Everything that arrived since the last call.
  [[nodiscard]] Batch collect();

  /// Figures since begin() or the last call, up to now or to end().
  [[nodiscard]] Result<SamplingTally> take_tally();

  [[nodiscard]] std::vector<std::uint32_t> program_ids() const { return program_.program_ids(); }

 private:
  /// Time and CPU time at one moment.
  struct Moment {
    std::chrono::nanoseconds time{0};
    std::chrono::nanoseconds cpu_time{0};       ///< of what is profiled
    std::chrono::nanoseconds not_idle_time{0};  ///< of all CPUs, stolen time included
    pilotlight_counters counters{};
  };

  Sampler(SamplingProgram program, std::vector<PerfRecords> feeds, const SamplerSettings& settings,
          std::size_t cpus)
      : program_(std::move(program)), feeds_(std::move(feeds)), settings_(settings), cpus_(cpus) {}
  [[nodiscard]] Result<Moment> moment() const;

  SamplingProgram program_;
  std::vector<PerfRecords> feeds_;
  SamplerSettings settings_;
  std::size_t cpus_;
  Moment tallied_;  ///< up to where take_tally() has told
  std::optional<Moment> end_;
};

}  // namespace pilotlight
