// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace pilotlight {

/// One line on a terminal that is written over each second, and cleared at the end.
class Progress {
 public:
  Progress(std::optional<std::chrono::nanoseconds> duration, bool visible)
      : duration_(duration), visible_(visible) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void show(std::chrono::nanoseconds elapsed, std::uint64_t samples);

 private:
  std::optional<std::chrono::nanoseconds> duration_;
  bool visible_;
  std::int64_t shown_second_ = -1;
};

}  // namespace pilotlight
