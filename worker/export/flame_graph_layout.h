// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "worker/export/flame_graph.h"

namespace pilotlight {

/// A frame that is drawn, and where: from this many samples from the left on.
struct PlacedFrame {
  std::uint32_t index = 0;  ///< into FlameGraph::frames
  std::uint64_t left = 0;
};

struct FlameGraphLayout {
  std::vector<std::vector<PlacedFrame>> rows;  ///< by depth, each from left to right
  std::size_t frames_not_drawn = 0;
  std::uint64_t samples_not_drawn_fully = 0;  ///< in stacks that lack a frame in the drawing
};

struct FlameGraphLimits {
  double minimum_share = 0.0001;  ///< of all samples; less is an eighth of a pixel in a window of 1,200
  std::size_t frames = 30'000;    ///< more make browsers slow; the widest are drawn
};

/// Places children below their parent from left to right. The drawn frames always form a tree.
[[nodiscard]] FlameGraphLayout lay_out(const FlameGraph& graph, const FlameGraphLimits& limits = {});

}  // namespace pilotlight
