// SPDX-License-Identifier: Apache-2.0
//
// The tree behind a flame graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "worker/export/stack_names.h"
#include "worker/profile/profile.h"

namespace pilotlight {

/// One box: a frame reached through the same frames.
struct FlameFrame {
  NamedFrame frame;
  std::uint32_t depth = 0;              ///< 0 for the root
  std::uint64_t count = 0;              ///< samples in it and in all it calls
  std::vector<std::uint32_t> children;  ///< indices into FlameGraph::frames, by name
};

struct FlameGraph {
  std::vector<std::string> names;  ///< what NamedFrame::name refers to
  std::vector<FlameFrame> frames;  ///< the first is the root, "all"
};

/// Merges a profile's stacks from the root on: boxes of the same name and kind that have the same parent
/// become one.
[[nodiscard]] FlameGraph make_flame_graph(const Profile& profile);

}  // namespace pilotlight
