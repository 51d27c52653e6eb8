// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "worker/profile/profile.h"

namespace pilotlight {

/// What a frame of a stack of names stands for.
enum class NamedFrameKind : std::uint8_t { process, thread, user, kernel, marker };

/// Frames that are equal here are one frame for formats that know names only.
struct NamedFrame {
  std::uint32_t name = 0;  ///< index into StackNames::names()
  NamedFrameKind kind = NamedFrameKind::user;
  bool operator==(const NamedFrame&) const = default;
};

/// Turns stacks of addresses into stacks of names: a frame for the process, one for the thread where the
/// profile keeps threads apart, then each function with inlined ones as frames of their own. A stack without
/// frames becomes one marker, unknown_name. Names are printable() and never empty; equal ones have equal
/// indices.
class StackNames {
 public:
  explicit StackNames(const Profile& profile);

  /// The frames of one of the profile's samples, root first.
  [[nodiscard]] std::vector<NamedFrame> frames(const StackSample& sample);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::uint32_t intern(std::string_view name);
  void add_location(const Profile& profile, const Location& location);

  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> index_;
  std::vector<NamedFrame> processes_;
  std::vector<std::vector<NamedFrame>> locations_;  ///< each outermost function first
};

}  // namespace pilotlight
