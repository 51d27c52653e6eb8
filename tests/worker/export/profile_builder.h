// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/profile/profile.h"

namespace pilotlight::test {

/// Makes profiles for exporters to export. Every function it returns an index from adds what it is named
/// after.
class ProfileBuilder {
 public:
  /// Ten seconds at 99 Hz from 2025-01-02 03:04:05 UTC.
  ProfileBuilder();

  std::uint32_t process(std::uint32_t pid, const std::string& name);
  std::uint32_t mapping(const std::string& path, bool symbolized = true);

  /// A location with one function, at an address of its own.
  std::uint32_t frame(const std::string& name, FrameKind kind = FrameKind::user,
                      std::uint32_t mapping = no_mapping);

  /// A location with several functions, innermost inlined one first.
  std::uint32_t inlined(const std::vector<std::string>& names, std::uint32_t mapping = no_mapping);

  /// A location that was not symbolized.
  std::uint32_t bare(std::uint64_t address, std::uint32_t mapping);

  /// Locations from the root to the leaf.
  StackSample& sample(std::uint32_t process, const std::vector<std::uint32_t>& root_first,
                      std::uint64_t count);

  /// Samples of a stack of user frames, each found by its name or added.
  StackSample& stack(std::uint32_t process, const std::vector<std::string>& root_first, std::uint64_t count);

  Profile profile;

 private:
  std::uint32_t function(const std::string& name);
};

/// One process with user, inlined, kernel and marker frames: 100 samples.
Profile small_profile();

/// Two processes of small_profile()'s kind, with names that are trouble in one format or another, and losses.
Profile hostile_profile();

/// The names of hostile_profile(), besides the empty one.
std::vector<std::string> hostile_names();

}  // namespace pilotlight::test
