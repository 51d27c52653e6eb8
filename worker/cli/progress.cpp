// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/progress.h"

#include <cinttypes>
#include <cstdio>

namespace pilotlight {

void Progress::show(std::chrono::nanoseconds elapsed, std::uint64_t samples) {
  const auto second = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  if (!visible_ || second == shown_second_) return;
  shown_second_ = second;
  if (duration_) {
    const auto all = std::chrono::ceil<std::chrono::seconds>(*duration_).count();
    std::fprintf(stderr, "\rprofiling: %" PRId64 " of %" PRId64 " s, %" PRIu64 " samples ", second, all,
                 samples);
  } else {
    std::fprintf(stderr, "\rprofiling: %" PRId64 " s, %" PRIu64 " samples; Ctrl-C stops and writes ", second,
                 samples);
  }
}

Progress::~Progress() {
  // Back to the start of the line, and clear to its end (ECMA-48, EL).
  if (shown_second_ >= 0) std::fputs("\r\x1b[K", stderr);
}

}  // namespace pilotlight
