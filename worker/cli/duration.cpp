// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/duration.h"

#include <array>
#include <charconv>
#include <utility>

namespace pilotlight {

namespace {

struct Unit {
  std::string_view name;
  double factor;
};

/// A number with one of these units behind it, multiplied out.
template <std::size_t Count>
std::optional<double> parse_with_unit(std::string_view text, const std::array<Unit, Count>& units) {
  double number = 0;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (parsed.ec != std::errc()) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(parsed.ptr - text.data()));
  for (const Unit& unit : units)
    if (rest == unit.name) return number * unit.factor;
  return std::nullopt;
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  static constexpr std::array<Unit, 6> units{
      {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}, {"d", 86400}}};
  constexpr double longest = 10.0 * 366 * 86400;
  const auto seconds = parse_with_unit(text, units);
  if (!seconds || !(*seconds > 0) || *seconds > longest) return std::nullopt;
  const std::chrono::nanoseconds duration(static_cast<std::int64_t>(*seconds * 1e9));
  if (duration.count() == 0) return std::nullopt;
  return duration;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  constexpr double kibi = 1024;
  static constexpr std::array<Unit, 13> units{{{"", 1},
                                               {"K", kibi},
                                               {"KB", kibi},
                                               {"KiB", kibi},
                                               {"M", kibi * kibi},
                                               {"MB", kibi * kibi},
                                               {"MiB", kibi * kibi},
                                               {"G", kibi * kibi * kibi},
                                               {"GB", kibi * kibi * kibi},
                                               {"GiB", kibi * kibi * kibi},
                                               {"T", kibi * kibi * kibi * kibi},
                                               {"TB", kibi * kibi * kibi * kibi},
                                               {"TiB", kibi * kibi * kibi * kibi}}};
  constexpr double largest = 1e18;
  const auto bytes = parse_with_unit(text, units);
  if (!bytes || !(*bytes >= 1) || *bytes > largest) return std::nullopt;
  return static_cast<std::uint64_t>(*bytes);
}

}  // namespace pilotlight
