// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worker/aggregate/profile_builder.h"
#include "worker/cli/options.h"
#include "worker/process/process_table.h"
#include "worker/profile/profile.h"
#include "worker/runner_link.h"
#include "worker/sampling/sampler.h"
#include "worker/symbolize/symbolizer.h"

namespace pilotlight {

/// The wiring: owns every stage, in the order of the flow (sample → aggregate → symbolize), and the process
/// table that they share. What is done with the profiles is the business of adhoc.h and continuous.h.
class Profiler {
 public:
  /// Loads and attaches everything, and tells the runner that it is ready. Throws FatalError if it cannot.
  Profiler(const Options& options, RunnerLink& runner);

  /// Waits until the runner has armed the word, and starts sampling. Any other order is returned without a
  /// start; Order::begin means that it runs.
  Order begin();

  /// Takes in what has arrived. To be called several times a second.
  void collect();

  /// Stops sampling and takes in the rest.
  void end();

  [[nodiscard]] std::uint64_t sample_count() const { return builder_.sample_count(); }

  /// The profile since begin() or the last cut, with its accounting, not yet with names. Nothing is lost in
  /// between.
  Profile cut();

  /// Gives the frames their names. Quick: only with what is known already, without opening a file.
  void name_frames(Profile& profile, bool quick);

  /// The kernel hides its addresses: frames in it stay without names.
  [[nodiscard]] bool kernel_names_are_hidden() const { return symbolizer_.kernel_is_restricted(); }

 private:
  Sampler sampler_;
  ProcessTable processes_;
  ProfileBuilder builder_;
  Symbolizer symbolizer_;
  RunnerLink& runner_;
  std::uint32_t frequency_;
  std::chrono::system_clock::time_point window_start_;
  std::uint64_t events_lost_before_ = 0;
  std::vector<std::string> comments_;
};

}  // namespace pilotlight
