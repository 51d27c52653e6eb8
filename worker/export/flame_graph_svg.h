// SPDX-License-Identifier: Apache-2.0
//
// An interactive flame graph as one self-contained SVG file: root on top, width in samples. It is complete
// without its script (flame_graph.js), which adds zoom, search and the width of the window.
#pragma once

#include <string>

#include "common/error.h"
#include "worker/export/flame_graph_layout.h"
#include "worker/profile/profile.h"

namespace pilotlight {

/// Longest name in it; what is longer keeps its two ends.
inline constexpr std::size_t longest_flame_graph_name = 1000;

/// Frames too narrow to see are left out, which the page says, as it says what the profile itself lost.
Result<std::string> export_flame_graph_svg(const Profile& profile);

/// The same with limits of one's own.
Result<std::string> export_flame_graph_svg(const Profile& profile, const FlameGraphLimits& limits);

}  // namespace pilotlight
