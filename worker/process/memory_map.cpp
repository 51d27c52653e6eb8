// SPDX-License-Identifier: Apache-2.0
#include "worker/process/memory_map.h"

#include <sys/sysmacros.h>

#include <charconv>
#include <optional>
#include <utility>

namespace pilotlight {

namespace {

/// Takes a number that ends at `end` off the front of the text, and that character too.
template <class Number>
bool take_number(std::string_view& text, Number& number, int base, char end) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  const auto length = static_cast<std::size_t>(stop - text.data());
  if (error != std::errc() || length == text.size() || *stop != end) return false;
  text.remove_prefix(length + 1);
  return true;
}

/// Takes "r-xp ".
bool take_permissions(std::string_view& text, MemoryMapping& mapping) {
  if (text.size() < 5 || text[4] != ' ') return false;
  const auto is_flag = [&](std::size_t at, char set) { return text[at] == set || text[at] == '-'; };
  if (!is_flag(0, 'r') || !is_flag(1, 'w') || !is_flag(2, 'x') || (text[3] != 'p' && text[3] != 's'))
    return false;
  mapping.readable = text[0] == 'r';
  mapping.writable = text[1] == 'w';
  mapping.executable = text[2] == 'x';
  mapping.shared = text[3] == 's';
  text.remove_prefix(5);
  return true;
}

/// The kernel escapes the one character that would break the line, and nothing else: a backslash stays as it
/// is.
std::string unescaped(std::string_view text) {
  constexpr std::string_view escaped_newline = "\\012";
  std::string result;
  result.reserve(text.size());
  for (;;) {
    const auto at = text.find(escaped_newline);
    result.append(text.substr(0, at));
    if (at == std::string_view::npos) return result;
    result.push_back('\n');
    text.remove_prefix(at + escaped_newline.size());
  }
}

void set_path(std::string_view text, MemoryMapping& mapping) {
  constexpr std::string_view deleted = " (deleted)";
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return;
  text.remove_prefix(begin);
  mapping.deleted = text.ends_with(deleted);
  if (mapping.deleted) text.remove_suffix(deleted.size());
  mapping.path = unescaped(text);
}

std::optional<MemoryMapping> parse_line(std::string_view line) {
  MemoryMapping mapping;
  unsigned major_number = 0;
  unsigned minor_number = 0;
  if (!take_number(line, mapping.start, 16, '-') || !take_number(line, mapping.limit, 16, ' ') ||
      mapping.start >= mapping.limit || !take_permissions(line, mapping) ||
      !take_number(line, mapping.file_offset, 16, ' ') || !take_number(line, major_number, 16, ':') ||
      !take_number(line, minor_number, 16, ' '))
    return std::nullopt;
  mapping.device = gnu_dev_makedev(major_number, minor_number);
  // Without a path some kernels end the line right after the inode.
  const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), mapping.inode);
  line.remove_prefix(static_cast<std::size_t>(stop - line.data()));
  if (error != std::errc() || (!line.empty() && line.front() != ' ')) return std::nullopt;
  set_path(line, mapping);
  return mapping;
}

}  // namespace

MemoryMap parse_memory_map(std::string_view text, std::size_t mapping_limit) {
  MemoryMap result;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (auto mapping = parse_line(line); !mapping)
      ++result.malformed;
    else if (result.mappings.size() >= mapping_limit)
      ++result.left_out;
    else
      result.mappings.push_back(std::move(*mapping));
  }
  return result;
}

}  // namespace pilotlight
