// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/error.h"
#include "worker/profile/profile.h"

namespace pilotlight {

/// Renders one finished profile to the bytes of a file. Keeps no state, hence a function and no class.
/// Fails on a profile without a sample: a file of nothing makes its reader look for the fault in the viewer.
using Exporter = Result<std::string> (*)(const Profile& profile);

}  // namespace pilotlight
