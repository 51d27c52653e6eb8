// SPDX-License-Identifier: Apache-2.0
//
// The names that every format shows where the profile has none. None of them is empty, and unless the profile
// was left unsymbolized (a halted run) only the last resort is ever needed.
#pragma once

#include <string>
#include <string_view>

#include "worker/profile/profile.h"

namespace pilotlight {

/// Stands for a name that is missing or blank, and for a stack of which no frame was recorded.
inline constexpr std::string_view unknown_name = "[unknown]";

/// The name itself, or unknown_name if it is blank.
[[nodiscard]] std::string_view name_or_unknown(std::string_view name);

/// Name for people, else the symbol's.
[[nodiscard]] std::string_view name_of(const Function& function);

/// Name of a location without lines: "libc.so.6+0x29d90" with the offset into the file; "[kernel]", "[anon]"
/// without an offset, which would differ from run to run.
[[nodiscard]] std::string unsymbolized_name(const Profile& profile, const Location& location);

/// A mapping's path as the file's name was: without the kernel's " (deleted)".
[[nodiscard]] std::string_view file_path(const Mapping& mapping);

/// What follows the last slash.
[[nodiscard]] std::string_view base_name(std::string_view path);

}  // namespace pilotlight
