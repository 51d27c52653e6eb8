// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace pilotlight {

/// The program `pilotlight`; returns its exit code. Throws FatalError for what stops it before its work
/// begins.
int run_pilotlight(const std::vector<std::string>& arguments);

}  // namespace pilotlight
