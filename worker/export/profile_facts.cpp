// SPDX-License-Identifier: Apache-2.0
#include "worker/export/profile_facts.h"

#include <algorithm>

namespace pilotlight {

std::uint64_t total_samples(const Profile& profile) {
  std::uint64_t total = 0;
  for (const StackSample& sample : profile.samples) total += sample.count;
  return total;
}

Result<std::uint64_t> total_samples_or_failure(const Profile& profile) {
  const std::uint64_t total = total_samples(profile);
  if (total == 0) return failure("the profile holds no sample");
  return total;
}

const ProcessLabel* sole_process(const Profile& profile) {
  if (profile.processes.empty()) return nullptr;
  const ProcessLabel& last = profile.processes.back();
  const bool sole =
      std::ranges::all_of(profile.processes, [&](const auto& other) { return other.pid == last.pid; });
  return sole ? &last : nullptr;
}

std::string_view comment_value(const Profile& profile, std::string_view key) {
  constexpr std::string_view separator = ": ";
  for (const std::string_view comment : profile.comments)
    if (comment.starts_with(key) && comment.substr(key.size()).starts_with(separator))
      return comment.substr(key.size() + separator.size());
  return {};
}

}  // namespace pilotlight
