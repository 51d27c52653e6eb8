// SPDX-License-Identifier: Apache-2.0
#include "worker/export/flame_graph_layout.h"

#include <algorithm>
#include <ranges>
#include <tuple>
#include <utility>

namespace pilotlight {

namespace {

/// Which frames are wide enough. Among equally wide ones, those nearer to the root come first, so that no
/// frame is chosen without its parent.
std::vector<bool> choose(const FlameGraph& graph, const FlameGraphLimits& limits) {
  const auto& frames = graph.frames;
  const auto indices = std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(frames.size()));
  std::vector<std::uint32_t> order(indices.begin(), indices.end());
  const auto rank = [&](std::uint32_t index) {
    return std::tuple(~frames[index].count, frames[index].depth, index);
  };
  if (limits.frames < order.size()) {
    std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(limits.frames), {}, rank);
    order.resize(limits.frames);
  }
  const double minimum = limits.minimum_share * static_cast<double>(frames.front().count);
  std::vector<bool> chosen(frames.size(), false);
  for (const std::uint32_t index : order) chosen[index] = static_cast<double>(frames[index].count) >= minimum;
  return chosen;
}

}  // namespace

FlameGraphLayout lay_out(const FlameGraph& graph, const FlameGraphLimits& limits) {
  const std::vector<bool> chosen = choose(graph, limits);
  FlameGraphLayout layout;
  std::size_t drawn = 0;
  std::vector<PlacedFrame> row{{.index = 0, .left = 0}};
  while (!row.empty()) {
    drawn += row.size();
    std::vector<PlacedFrame> next;
    for (const PlacedFrame& parent : row) {
      std::uint64_t left = parent.left;
      for (const std::uint32_t child : graph.frames[parent.index].children) {
        const std::uint64_t count = graph.frames[child].count;
        if (chosen[child])
          next.push_back({.index = child, .left = left});
        else
          layout.samples_not_drawn_fully += count;
        left += count;
      }
    }
    layout.rows.push_back(std::exchange(row, std::move(next)));
  }
  layout.frames_not_drawn = graph.frames.size() - drawn;
  return layout;
}

}  // namespace pilotlight
