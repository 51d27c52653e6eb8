// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "common/error.h"

namespace pilotlight {

/// Parses a list as in /sys/devices/system/cpu/online: "0-3,8,10-11". Nonsense gives an empty list.
std::vector<int> parse_cpu_list(std::string_view text);

/// The CPUs that run now. Numbers need not be contiguous.
Result<std::vector<int>> online_cpus();

}  // namespace pilotlight
