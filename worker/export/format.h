// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "common/error.h"

namespace pilotlight {

/// What a profile can be written as.
enum class Format : std::uint8_t {
  pprof,   ///< gzipped profile.proto of github.com/google/pprof
  folded,  ///< one stack a line, frames joined by semicolons
  svg,     ///< interactive flame graph for browsers
};

inline constexpr std::array every_format{Format::pprof, Format::folded, Format::svg};

/// As the user writes it: "pprof", "folded", "svg".
[[nodiscard]] std::string_view name_of(Format format);

/// File name ending with its dots: ".pb.gz", ".folded", ".svg".
[[nodiscard]] std::string_view ending_of(Format format);

/// The format of that name; fails with the list of the known ones.
Result<Format> format_by_name(std::string_view name);

/// The format that a file's name ends in; fails with the list of the known endings.
Result<Format> format_by_file_name(std::string_view path);

}  // namespace pilotlight
