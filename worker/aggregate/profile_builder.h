// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "worker/process/process_table.h"
#include "worker/profile/profile.h"
#include "worker/sampling/sample.h"

namespace pilotlight {

/// Turns samples into counted stacks, with each address put into the memory region that was mapped when the
/// sample was taken. Frames still have no names.
class ProfileBuilder {
 public:
  // Keys of what is kept once; public only for their hash functions.
  struct StackKey {
    std::uint32_t process = 0;
    std::uint32_t thread_id = 0;
    std::string thread_name;
    std::vector<std::uint32_t> locations;
    bool operator==(const StackKey&) const = default;
    friend std::size_t hash_value(const StackKey& key);
  };
  struct MappingKey {
    std::uint64_t start = 0, limit = 0, file_offset = 0;
    std::string path, build_id;
    bool operator==(const MappingKey&) const = default;
    friend std::size_t hash_value(const MappingKey& key);
  };
  struct LocationKey {
    FrameKind kind = FrameKind::user;
    std::uint32_t mapping = no_mapping;
    std::uint64_t address = 0;
    bool operator==(const LocationKey&) const = default;
    friend std::size_t hash_value(const LocationKey& key);
  };

  /// keep_threads: samples of different threads with equal stacks stay apart.
  explicit ProfileBuilder(bool keep_threads) : keep_threads_(keep_threads) {}

  void add(const Sample& sample, ProcessTable& processes);

  [[nodiscard]] std::uint64_t sample_count() const { return profile_.accounting.samples; }

  /// The profile so far; the builder starts over, empty.
  Profile take();

 private:
  template <class Key>
  using Index = boost::unordered_flat_map<Key, std::uint32_t, boost::hash<Key>>;

  void add_kernel_stack(const Sample& sample, std::vector<std::uint32_t>& locations);
  /// The end of the stack as the frames bear it out: a frame outside executable memory ends it early.
  StackEnd add_user_stack(const Sample& sample, ProcessTable& processes,
                          std::vector<std::uint32_t>& locations);
  void add_marker(StackEnd end, std::vector<std::uint32_t>& locations);
  std::uint32_t process_index(const Sample& sample);
  std::uint32_t mapping_index(const MappedRegion& region, std::uint32_t pid);
  std::uint32_t kernel_mapping_index();
  std::uint32_t location_index(const LocationKey& key);

  bool keep_threads_;
  Profile profile_;
  Index<StackKey> stacks_;
  Index<MappingKey> mappings_;
  Index<LocationKey> locations_;
  Index<std::pair<std::uint32_t, std::string>> processes_;
  Index<std::string> markers_;
};

}  // namespace pilotlight
