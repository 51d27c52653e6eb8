// SPDX-License-Identifier: Apache-2.0
#include "worker/export/stack_names.h"

#include <ranges>

#include "worker/export/frame_name.h"
#include "worker/export/text.h"

namespace pilotlight {

namespace {

NamedFrameKind kind_of(FrameKind kind) {
  switch (kind) {
    case FrameKind::user:
      return NamedFrameKind::user;
    case FrameKind::kernel:
      return NamedFrameKind::kernel;
    case FrameKind::marker:
      return NamedFrameKind::marker;
  }
  return NamedFrameKind::marker;
}

}  // namespace

StackNames::StackNames(const Profile& profile) {
  for (const ProcessLabel& process : profile.processes)
    processes_.push_back({.name = intern(name_or_unknown(process.name)), .kind = NamedFrameKind::process});
  locations_.reserve(profile.locations.size());
  for (const Location& location : profile.locations) add_location(profile, location);
}

std::vector<NamedFrame> StackNames::frames(const StackSample& sample) {
  std::vector<NamedFrame> frames{processes_[sample.process]};
  if (sample.thread_id != 0) {
    const std::string thread =
        std::string(name_or_unknown(sample.thread_name)) + " (tid " + std::to_string(sample.thread_id) + ")";
    frames.push_back({.name = intern(thread), .kind = NamedFrameKind::thread});
  }
  for (const std::uint32_t location : sample.locations | std::views::reverse)
    frames.insert(frames.end(), locations_[location].begin(), locations_[location].end());
  if (sample.locations.empty())
    frames.push_back({.name = intern(unknown_name), .kind = NamedFrameKind::marker});
  return frames;
}

std::uint32_t StackNames::intern(std::string_view name) {
  const auto [entry, added] = index_.try_emplace(printable(name), static_cast<std::uint32_t>(names_.size()));
  if (added) names_.push_back(entry->first);
  return entry->second;
}

void StackNames::add_location(const Profile& profile, const Location& location) {
  std::vector<NamedFrame>& frames = locations_.emplace_back();
  const NamedFrameKind kind = kind_of(location.kind);
  for (const Line& line : location.lines | std::views::reverse)
    frames.push_back({.name = intern(name_of(profile.functions[line.function])), .kind = kind});
  if (frames.empty()) frames.push_back({.name = intern(unsymbolized_name(profile, location)), .kind = kind});
}

}  // namespace pilotlight
