// SPDX-License-Identifier: Apache-2.0
#include "worker/export/profile_file_name.h"

#include <charconv>

namespace pilotlight {

namespace {

constexpr std::size_t time_length = std::string_view("YYYYmmddTHHMMSSZ").size();

std::string padded(std::int64_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

std::string time_text(std::chrono::sys_seconds time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return padded(int{date.year()}, 4) + padded(unsigned{date.month()}, 2) + padded(unsigned{date.day()}, 2) +
         "T" + padded(clock.hours().count(), 2) + padded(clock.minutes().count(), 2) +
         padded(clock.seconds().count(), 2) + "Z";
}

std::string safe_host(std::string_view host) {
  std::string safe(host.empty() ? "unknown" : host);
  for (char& character : safe) {
    const bool letter = (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
    const bool digit = character >= '0' && character <= '9';
    if (!letter && !digit && character != '.' && character != '_' && character != '-') character = '_';
  }
  return safe;
}

std::string prefix_of(std::string_view host) { return "pilotlight-" + safe_host(host) + "-"; }

/// Nothing unless all of the text is digits and fits.
std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::chrono::sys_seconds> time_in(std::string_view text) {
  const auto date = number_in(text.substr(0, 8));
  const auto clock = number_in(text.substr(9, 6));
  if (!date || !clock) return std::nullopt;
  const std::chrono::year_month_day day(std::chrono::year(static_cast<int>(*date / 10000)),
                                        std::chrono::month(*date / 100 % 100), std::chrono::day(*date % 100));
  if (!day.ok()) return std::nullopt;
  return std::chrono::sys_days(day) + std::chrono::hours(*clock / 10000) +
         std::chrono::minutes(*clock / 100 % 100) + std::chrono::seconds(*clock % 100);
}

}  // namespace

std::string file_name_of(std::string_view host, const ProfileFileName& name) {
  std::string text = prefix_of(host) + time_text(name.time);
  if (name.number > 1) text += "-" + std::to_string(name.number);
  return text.append(ending_of(name.format));
}

std::optional<ProfileFileName> parse_file_name(std::string_view host, std::string_view name) {
  const std::string prefix = prefix_of(host);
  const auto format = format_by_file_name(name);
  if (!name.starts_with(prefix) || !format) return std::nullopt;
  std::string_view rest = name.substr(prefix.size());
  if (rest.size() < time_length + ending_of(*format).size()) return std::nullopt;
  rest.remove_suffix(ending_of(*format).size());
  const auto time = time_in(rest);
  const auto number = rest.size() == time_length ? 1 : number_in(rest.substr(time_length + 1));
  if (!time || !number) return std::nullopt;
  const ProfileFileName parsed{.time = *time, .number = *number, .format = *format};
  // Whatever was read leniently above (separators, leading zeros) shows here.
  if (file_name_of(host, parsed) != name) return std::nullopt;
  return parsed;
}

std::string default_file_name(std::string_view host, std::chrono::system_clock::time_point time,
                              Format format) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return file_name_of(host, {.time = seconds, .number = 1, .format = format});
}

}  // namespace pilotlight
