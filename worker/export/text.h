// SPDX-License-Identifier: Apache-2.0
//
// Names come from foreign files and processes and can hold any byte; these make them fit for a format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pilotlight {

/// The text with every byte that is no part of valid UTF-8 written as "\xNN".
[[nodiscard]] std::string valid_utf8(std::string_view bytes);

/// Valid UTF-8 on one line: control characters, line separators and code points that XML 1.0 forbids are
/// written as
/// "\xNN" too (byte by byte).
[[nodiscard]] std::string printable(std::string_view bytes);

/// The first and last parts of a valid UTF-8 text with "…" between, at most this many bytes (at least 8) in
/// all.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t limit_bytes);

/// The first characters of a valid UTF-8 text, the last of these (at least 1) replaced by "…" if it has more.
[[nodiscard]] std::string cut(std::string_view text, std::size_t limit_characters);

/// For XML text and attribute values alike, in either kind of quotes.
[[nodiscard]] std::string escaped_for_xml(std::string_view text);

/// "1,234,567".
[[nodiscard]] std::string with_thousands_separators(std::uint64_t number);

/// "1 sample", "1,234 samples".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view singular);

/// part / whole as "12.34 %"; 0 of 0 is 0 %.
[[nodiscard]] std::string percentage(std::uint64_t part, std::uint64_t whole);

/// A number with at most this many decimals and no superfluous zeros, with a point whatever the locale.
[[nodiscard]] std::string decimal(double number, int decimals);

}  // namespace pilotlight
