// SPDX-License-Identifier: Apache-2.0
//
// "pilotlight-HOST-YYYYmmddTHHMMSSZ.ENDING": the time is UTC (ISO 8601 basic form) and in its order the names
// sort. "pilotlight-HOST-YYYYmmddTHHMMSSZ-2.ENDING" is the second of one second, and so on.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "worker/export/format.h"

namespace pilotlight {

/// What a file name of ours tells, besides the host.
struct ProfileFileName {
  std::chrono::sys_seconds time;
  std::uint32_t number = 1;  ///< among those of one second
  Format format = Format::pprof;

  auto operator<=>(const ProfileFileName&) const = default;
};

/// Characters of the host's name other than letters, digits, ".", "_" and "-" become "_".
[[nodiscard]] std::string file_name_of(std::string_view host, const ProfileFileName& name);

/// Nothing unless it is exactly a name that file_name_of() gives for this host.
[[nodiscard]] std::optional<ProfileFileName> parse_file_name(std::string_view host, std::string_view name);

/// Name of a profile that began at that time, where the user gave none.
[[nodiscard]] std::string default_file_name(std::string_view host, std::chrono::system_clock::time_point time,
                                            Format format);

}  // namespace pilotlight
