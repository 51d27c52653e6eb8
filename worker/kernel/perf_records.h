// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/error.h"
#include "common/unique_handle.h"

namespace pilotlight {

/// The memory that the kernel writes one perf event's records into (perf_event_open(2), "MMAP layout").
class PerfRecords {
 public:
  /// `pages` of data, a power of two. Takes the event.
  static Result<PerfRecords> map(UniqueFd event, std::size_t pages);

  PerfRecords(PerfRecords&& other) noexcept;
  PerfRecords& operator=(PerfRecords&& other) noexcept;
  ~PerfRecords();

  /// Hands out every complete record that is there, header included, and frees its place. The bytes are valid
  /// during the call only.
  void read(const std::function<void(std::span<const std::byte>)>& receive);

 private:
  PerfRecords(UniqueFd event, void* memory, std::size_t size)
      : event_(std::move(event)), memory_(memory), size_(size) {}

  UniqueFd event_;
  void* memory_ = nullptr;
  std::size_t size_ = 0;
  std::vector<std::byte> record_;  ///< a record that wraps around the end, put together
};

}  // namespace pilotlight
