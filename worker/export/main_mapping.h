// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "worker/profile/profile.h"

namespace pilotlight {

/// What pprof viewers are to show as the profile's program: they take mapping 0, whatever it is.
struct MainMapping {
  std::optional<std::size_t> index;  ///< into Profile::mappings: put this one first
  std::string synthetic_path;        ///< otherwise put a mapping of no address and this path first
};

/// All samples of one process: the mapping of the file with the process's name (which the kernel cuts at 15
/// bytes), else its first file, else "[NAME]". Several processes: "[system]", as no file of theirs could
/// stand for all.
[[nodiscard]] MainMapping main_mapping(const Profile& profile);

}  // namespace pilotlight
