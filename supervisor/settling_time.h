// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#ifndef PILOTLIGHT_SETTLING_TIME_MS
#define PILOTLIGHT_SETTLING_TIME_MS 10000
#endif

namespace pilotlight {

/// How long the switch must be released without interruption before a worker is spawned, the first one
/// included: a flapping switch must not flap the profiler. Fixed when the program is compiled; no option
/// changes it.
inline constexpr std::chrono::milliseconds settling_time{PILOTLIGHT_SETTLING_TIME_MS};

}  // namespace pilotlight
