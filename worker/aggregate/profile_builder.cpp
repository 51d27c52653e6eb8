// SPDX-License-Identifier: Apache-2.0
#include "worker/aggregate/profile_builder.h"

#include <boost/container_hash/hash.hpp>
#include <utility>

namespace pilotlight {

namespace {

// The upper half of the address space: the kernel, its modules and the code that it generates.
constexpr std::uint64_t kernel_start = 0xffff'8000'0000'0000;
constexpr std::uint64_t kernel_limit = UINT64_MAX;

/// A caller's address is that of its call instruction, one byte back from where the callee returns to. The
/// leaf is where it is.
std::uint64_t code_address(std::uint64_t address, std::size_t frames_below) {
  return frames_below == 0 || address == 0 ? address : address - 1;
}

const char* marker_name(StackEnd end) {
  switch (end) {
    case StackEnd::depth:
      return "[truncated: too deep]";
    case StackEnd::unreadable:
      return "[truncated: stack not readable]";
    case StackEnd::broken:
      return "[truncated: no frame pointer]";
    case StackEnd::complete:
    case StackEnd::no_user_stack:
      return nullptr;
  }
  return nullptr;
}

template <class... Values>
std::size_t combined_hash(const Values&... values) {
  std::size_t seed = 0;
  (boost::hash_combine(seed, values), ...);
  return seed;
}

}  // namespace

std::size_t hash_value(const ProfileBuilder::StackKey& key) {
  return combined_hash(key.process, key.thread_id, key.thread_name, key.locations);
}
std::size_t hash_value(const ProfileBuilder::MappingKey& key) {
  return combined_hash(key.start, key.limit, key.file_offset, key.path, key.build_id);
}
std::size_t hash_value(const ProfileBuilder::LocationKey& key) {
  return combined_hash(std::to_underlying(key.kind), key.mapping, key.address);
}

void ProfileBuilder::add(const Sample& sample, ProcessTable& processes) {
  StackKey key{.process = process_index(sample),
               .thread_id = keep_threads_ ? sample.thread_id : 0,
               .thread_name = sample.thread_name,
               .locations = {}};
  add_kernel_stack(sample, key.locations);
  const StackEnd end = add_user_stack(sample, processes, key.locations);
  add_marker(end, key.locations);

  auto& accounting = profile_.accounting;
  ++accounting.samples;
  if (end == StackEnd::depth) ++accounting.truncated_depth;
  if (end == StackEnd::broken) ++accounting.truncated_broken;
  if (end == StackEnd::unreadable) ++accounting.truncated_unreadable;

  const auto [found, added] = stacks_.try_emplace(key, static_cast<std::uint32_t>(profile_.samples.size()));
  if (added)
    profile_.samples.push_back({.process = key.process,
                                .thread_name = key.thread_name,
                                .thread_id = key.thread_id,
                                .locations = std::move(key.locations),
                                .count = 0});
  ++profile_.samples[found->second].count;
}

void ProfileBuilder::add_kernel_stack(const Sample& sample, std::vector<std::uint32_t>& locations) {
  for (const std::uint64_t address : sample.kernel_stack)
    locations.push_back(location_index({.kind = FrameKind::kernel,
                                        .mapping = kernel_mapping_index(),
                                        .address = code_address(address, locations.size())}));
}

StackEnd ProfileBuilder::add_user_stack(const Sample& sample, ProcessTable& processes,
                                        std::vector<std::uint32_t>& locations) {
  for (std::size_t i = 0; i < sample.user_stack.size(); ++i) {
    const std::uint64_t address = code_address(sample.user_stack[i], i);
    const MappedRegion* region = processes.find(sample.process, address);
    // A return address outside executable memory was none: the walk had left the real stack by then.
    if (region == nullptr && i > 0) return StackEnd::broken;
    const std::uint32_t mapping = region == nullptr ? no_mapping : mapping_index(*region, sample.process.pid);
    locations.push_back(location_index({.kind = FrameKind::user, .mapping = mapping, .address = address}));
  }
  return sample.user_end;
}

void ProfileBuilder::add_marker(StackEnd end, std::vector<std::uint32_t>& locations) {
  const char* name = marker_name(end);
  if (name == nullptr) return;
  const auto [found, added] =
      markers_.try_emplace(name, static_cast<std::uint32_t>(profile_.locations.size()));
  if (added) {
    const Line line{.function = static_cast<std::uint32_t>(profile_.functions.size()), .line = 0};
    profile_.functions.push_back({.name = name, .system_name = name, .file = {}, .start_line = 0});
    profile_.locations.push_back(
        {.kind = FrameKind::marker, .mapping = no_mapping, .address = 0, .lines = {line}});
  }
  locations.push_back(found->second);
}

std::uint32_t ProfileBuilder::process_index(const Sample& sample) {
  const auto [found, added] = processes_.try_emplace({sample.process.pid, sample.process_name},
                                                     static_cast<std::uint32_t>(profile_.processes.size()));
  if (added) profile_.processes.push_back({.pid = sample.process.pid, .name = sample.process_name});
  return found->second;
}

std::uint32_t ProfileBuilder::mapping_index(const MappedRegion& region, std::uint32_t pid) {
  const auto [found, added] = mappings_.try_emplace(MappingKey{.start = region.start,
                                                               .limit = region.limit,
                                                               .file_offset = region.file_offset,
                                                               .path = region.file->path,
                                                               .build_id = region.file->build_id},
                                                    static_cast<std::uint32_t>(profile_.mappings.size()));
  if (added)
    profile_.mappings.push_back({.start = region.start,
                                 .limit = region.limit,
                                 .file_offset = region.file_offset,
                                 .path = region.file->path,
                                 .build_id = region.file->build_id,
                                 .pid = pid});
  return found->second;
}

std::uint32_t ProfileBuilder::kernel_mapping_index() {
  static const MappedRegion kernel{
      .start = kernel_start,
      .limit = kernel_limit,
      .file_offset = kernel_start,
      .file = std::make_shared<MappedFile>(MappedFile{.path = "[kernel.kallsyms]", .build_id = {}})};
  return mapping_index(kernel, 0);
}

std::uint32_t ProfileBuilder::location_index(const LocationKey& key) {
  const auto [found, added] =
      locations_.try_emplace(key, static_cast<std::uint32_t>(profile_.locations.size()));
  if (added)
    profile_.locations.push_back(
        {.kind = key.kind, .mapping = key.mapping, .address = key.address, .lines = {}});
  return found->second;
}

Profile ProfileBuilder::take() {
  stacks_.clear();
  mappings_.clear();
  locations_.clear();
  processes_.clear();
  markers_.clear();
  return std::exchange(profile_, {});
}

}  // namespace pilotlight
