// SPDX-License-Identifier: Apache-2.0
#include "worker/export/folded.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "worker/export/profile_facts.h"
#include "worker/export/stack_names.h"

namespace pilotlight {

namespace {

void append_frame(std::string& stack, std::string name, NamedFrameKind kind) {
  std::ranges::replace(name, ';', ':');
  if (!stack.empty()) stack += ';';
  stack += name;
  if (kind == NamedFrameKind::kernel) stack += "_[k]";
}

}  // namespace

Result<std::string> export_folded(const Profile& profile) {
  if (auto total = total_samples_or_failure(profile); !total) return std::unexpected(total.error());
  StackNames names(profile);
  std::map<std::string, std::uint64_t> counts;
  for (const StackSample& sample : profile.samples) {
    if (sample.count == 0) continue;  // readers reject the line
    std::string stack;
    for (const NamedFrame& frame : names.frames(sample))
      append_frame(stack, names.names()[frame.name], frame.kind);
    counts[std::move(stack)] += sample.count;
  }
  std::string text;
  for (const auto& [stack, count] : counts)
    text.append(stack).append(1, ' ').append(std::to_string(count)) += '\n';
  return text;
}

}  // namespace pilotlight
