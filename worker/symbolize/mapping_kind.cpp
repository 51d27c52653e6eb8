// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/mapping_kind.h"

#include <algorithm>
#include <array>

namespace pilotlight {

namespace {

constexpr std::string_view deleted = " (deleted)";
constexpr std::string_view memfd = "/memfd:";

/// Names of memory without a file that could hold code; "/dev/zero" and "/SYSV…" are shared anonymous memory.
bool is_anonymous(std::string_view path) {
  constexpr std::array<std::string_view, 7> beginnings = {"[anon",       "[heap]",    "[stack", "//anon",
                                                          "anon_inode:", "/dev/zero", "/SYSV"};
  return path.empty() ||
         std::ranges::any_of(beginnings, [&](auto beginning) { return path.starts_with(beginning); });
}

}  // namespace

MappingKind mapping_kind(std::string_view path) {
  if (path == "[vdso]") return MappingKind::vdso;
  if (is_anonymous(path)) return MappingKind::anonymous;
  if (path.starts_with('[')) return MappingKind::special;
  if (path.starts_with(memfd) || path.ends_with(deleted)) return MappingKind::nameless;
  return MappingKind::file;
}

std::string placeholder_name(std::string_view path) {
  if (is_anonymous(path) || path.starts_with(memfd)) return "[anon]";
  if (path.starts_with('[')) return std::string(path);
  if (path.ends_with(deleted)) path.remove_suffix(deleted.size());
  const auto slash = path.rfind('/');
  return "[" + std::string(slash == std::string_view::npos ? path : path.substr(slash + 1)) + "]";
}

}  // namespace pilotlight
