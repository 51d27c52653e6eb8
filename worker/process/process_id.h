// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pilotlight {

/// A process, safe against reuse of its pid.
struct ProcessId {
  std::uint32_t pid = 0;       ///< as seen by the machine's first pid namespace
  std::uint64_t start_ns = 0;  ///< CLOCK_BOOTTIME at its birth
  bool operator==(const ProcessId&) const = default;
};

}  // namespace pilotlight
