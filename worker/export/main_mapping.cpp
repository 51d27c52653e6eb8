// SPDX-License-Identifier: Apache-2.0
#include "worker/export/main_mapping.h"

#include "worker/export/frame_name.h"
#include "worker/export/profile_facts.h"

namespace pilotlight {

namespace {

/// TASK_COMM_LEN of the kernel without the final null.
constexpr std::size_t longest_process_name = 15;

bool is_file(const Mapping& mapping) { return mapping.path.starts_with('/'); }

}  // namespace

MainMapping main_mapping(const Profile& profile) {
  const ProcessLabel* process = sole_process(profile);
  if (process == nullptr) return {.index = std::nullopt, .synthetic_path = "[system]"};
  std::optional<std::size_t> first_file;
  for (std::size_t index = 0; index < profile.mappings.size(); ++index) {
    const Mapping& mapping = profile.mappings[index];
    if (!is_file(mapping)) continue;
    if (base_name(file_path(mapping)).substr(0, longest_process_name) == process->name)
      return {.index = index, .synthetic_path = {}};
    if (!first_file) first_file = index;
  }
  if (first_file) return {.index = first_file, .synthetic_path = {}};
  return {.index = std::nullopt, .synthetic_path = "[" + std::string(name_or_unknown(process->name)) + "]"};
}

}  // namespace pilotlight
