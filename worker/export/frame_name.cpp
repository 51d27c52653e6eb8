// SPDX-License-Identifier: Apache-2.0
#include "worker/export/frame_name.h"

#include <array>
#include <charconv>

namespace pilotlight {

namespace {

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return std::string("0x").append(digits.data(), end);
}

}  // namespace

std::string_view name_or_unknown(std::string_view name) {
  return name.find_first_not_of(' ') == std::string_view::npos ? unknown_name : name;
}

std::string_view name_of(const Function& function) {
  return name_or_unknown(function.name.empty() ? function.system_name : function.name);
}

std::string unsymbolized_name(const Profile& profile, const Location& location) {
  if (location.kind == FrameKind::kernel) return "[kernel]";
  if (location.mapping == no_mapping) return std::string(unknown_name);
  const Mapping& mapping = profile.mappings[location.mapping];
  const std::string_view name = name_or_unknown(base_name(file_path(mapping)));
  if (name.starts_with('[')) return std::string(name);
  return std::string(name) + "+" + hexadecimal(location.address - mapping.start + mapping.file_offset);
}

std::string_view file_path(const Mapping& mapping) {
  constexpr std::string_view suffix = " (deleted)";
  std::string_view path = mapping.path;
  if (path.ends_with(suffix)) path.remove_suffix(suffix.size());
  return path;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace pilotlight
