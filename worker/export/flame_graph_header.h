// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "worker/export/flame_graph_layout.h"
#include "worker/profile/profile.h"

namespace pilotlight {

/// The text above a flame graph; plain, not escaped.
struct FlameGraphHeader {
  std::string title;                 ///< whose samples
  std::string subtitle;              ///< how many, when, how long, how often
  std::vector<std::string> notices;  ///< what is missing: from the profile and from the drawing
};

[[nodiscard]] FlameGraphHeader make_flame_graph_header(const Profile& profile,
                                                       const FlameGraphLayout& layout);

}  // namespace pilotlight
