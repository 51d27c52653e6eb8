// SPDX-License-Identifier: Apache-2.0
#include "worker/export/flame_graph.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace pilotlight {

namespace {

struct ChildKey {
  std::uint32_t parent = 0;
  NamedFrame frame;
  bool operator==(const ChildKey&) const = default;
};

struct HashChildKey {
  std::size_t operator()(const ChildKey& key) const {
    const std::uint64_t both = (std::uint64_t{key.parent} << 32U) | key.frame.name;
    return std::hash<std::uint64_t>()(both * 8 + static_cast<std::uint64_t>(key.frame.kind));
  }
};

class Builder {
 public:
  Builder() { graph_.frames.emplace_back(); }

  void add(const std::vector<NamedFrame>& stack, std::uint64_t count) {
    std::uint32_t at = 0;
    graph_.frames[at].count += count;
    for (const NamedFrame& frame : stack) {
      at = child_of(at, frame);
      graph_.frames[at].count += count;
    }
  }

  FlameGraph finish(std::vector<std::string> names) && {
    graph_.names = std::move(names);
    graph_.frames.front().frame = {.name = static_cast<std::uint32_t>(graph_.names.size()),
                                   .kind = NamedFrameKind::process};
    graph_.names.emplace_back("all");
    const auto order = [this](std::uint32_t index) {
      const NamedFrame& frame = graph_.frames[index].frame;
      return std::tuple<const std::string&, NamedFrameKind>(graph_.names[frame.name], frame.kind);
    };
    for (FlameFrame& frame : graph_.frames) std::ranges::sort(frame.children, {}, order);
    return std::move(graph_);
  }

 private:
  std::uint32_t child_of(std::uint32_t parent, const NamedFrame& frame) {
    const auto next = static_cast<std::uint32_t>(graph_.frames.size());
    const auto [entry, added] = index_.try_emplace({.parent = parent, .frame = frame}, next);
    if (added) {
      graph_.frames.push_back(
          {.frame = frame, .depth = graph_.frames[parent].depth + 1, .count = 0, .children = {}});
      graph_.frames[parent].children.push_back(next);
    }
    return entry->second;
  }

  FlameGraph graph_;
  std::unordered_map<ChildKey, std::uint32_t, HashChildKey> index_;
};

}  // namespace

FlameGraph make_flame_graph(const Profile& profile) {
  StackNames names(profile);
  Builder builder;
  for (const StackSample& sample : profile.samples)
    if (sample.count != 0) builder.add(names.frames(sample), sample.count);
  return std::move(builder).finish(names.names());
}

}  // namespace pilotlight
