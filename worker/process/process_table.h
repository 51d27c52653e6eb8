// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "worker/process/process_event.h"
#include "worker/process/process_id.h"

namespace pilotlight {

/// Which executable memory each process has, at the time of the events applied so far. Fed in time order; a
/// process that no event told of is read from /proc when it is first asked for.
class ProcessTable {
 public:
  /// Reads all processes that exist. Called once, after the feed of events has begun, so that none falls
  /// between.
  void read_existing();

  void apply(const ProcessEvent& event);

  /// The region of a process that holds an address; nullptr if none is known. Valid until the next non-const
  /// call.
  [[nodiscard]] const MappedRegion* find(const ProcessId& process, std::uint64_t address);

  /// Drops processes that have ended. Not sooner than a batch after their end: samples of their last moments
  /// may still be on the way.
  void forget_ended();

  [[nodiscard]] std::size_t size() const { return processes_.size(); }
  [[nodiscard]] std::uint64_t events_lost() const { return events_lost_; }

 private:
  struct Process {
    std::uint64_t start_ns = 0;  ///< 0 until a sample tells
    unsigned batches_since_exit = 0;
    bool exited = false;
    std::vector<MappedRegion> regions;  ///< by start, without overlap
  };

  void map(Process& process, const MappedRegion& region);
  std::shared_ptr<const MappedFile> intern(const std::shared_ptr<const MappedFile>& file);
  Process read_process(std::uint32_t pid);

  std::unordered_map<std::uint32_t, Process> processes_;
  std::unordered_map<std::string, std::shared_ptr<const MappedFile>> files_;
  std::uint64_t events_lost_ = 0;
};

}  // namespace pilotlight
