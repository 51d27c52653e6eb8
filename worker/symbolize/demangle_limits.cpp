// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/demangle_limits.h"

#include <cstddef>

#include "worker/symbolize/demangle_tree.h"

namespace pilotlight {

namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

/// Length of "LETTER seq-id _" (a substitution or template parameter of the Itanium ABI) at this place; 0 if
/// none is.
std::size_t reference_length(std::string_view name, std::size_t at, char letter) {
  if (at >= name.size() || name[at] != letter) return 0;
  std::size_t end = at + 1;
  while (end < name.size() && (is_digit(name[end]) || is_upper(name[end]))) ++end;
  return end < name.size() && name[end] == '_' ? end + 1 - at : 0;
}

std::size_t count_references(std::string_view name, char letter) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < name.size(); ++at)
    if (reference_length(name, at, letter) != 0) ++count;
  return count;
}

std::size_t count(std::string_view name, std::string_view part) {
  std::size_t result = 0;
  for (auto at = name.find(part); at != std::string_view::npos; at = name.find(part, at + 1)) ++result;
  return result;
}

/// An expansion ("Dp" of a type, "sp" of an expression) of more than a mere parameter, which is the usual
/// one: "DpOT_", "spfp_". Identifiers that contain these letters count as well: telling them apart would need
/// a parser.
bool has_complex_pack(std::string_view name) {
  for (std::size_t at = 0; at + 2 < name.size(); ++at) {
    if (name[at + 1] != 'p' || (name[at] != 'D' && name[at] != 's')) continue;
    const auto operand = name.find_first_not_of("ROKPV", at + 2);
    if (operand == std::string_view::npos) return true;
    if (reference_length(name, operand, 'T') == 0 && name.substr(operand, 2) != "fp") return true;
  }
  return false;
}

/// In the type of a conversion operator, arguments after a template parameter are parsed twice, and so at
/// each depth.
bool reparses_conversion(std::string_view name) {
  constexpr std::size_t depth_limit = 12;
  if (name.find("cv") == std::string_view::npos) return false;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const std::size_t length = reference_length(name, at, 'T');
    if (length != 0 && at + length < name.size() && name[at + length] == 'I') ++depth;
  }
  return depth > depth_limit;
}

}  // namespace

CppNameSafety cpp_name_safety(const std::string& name) {
  constexpr std::size_t libiberty_limit = 1'024;
  constexpr std::size_t length_limit = 4'096;
  constexpr std::size_t scope_limit = 1 << 14;      // of 64 bytes each at most
  constexpr std::size_t pack_reference_limit = 20;  // each can at most double the walk
  if (name.size() > length_limit || reparses_conversion(name)) return CppNameSafety::unsafe;
  const bool needs_look =
      count_references(name, 'S') > pack_reference_limit || name.find("DF") != std::string::npos;
  if (needs_look && has_complex_pack(name) && !can_print_packs(name)) return CppNameSafety::unsafe;
  if (name.size() <= libiberty_limit) return CppNameSafety::safe;
  // It puts an array on the stack with an element for each template in the scope of each reference to a
  // parameter.
  const std::size_t references =
      count(name, "RT") + count(name, "RS") + count(name, "OT") + count(name, "OS");
  const bool fits = references * count(name, "I") <= scope_limit;
  return fits ? CppNameSafety::safe_without_limit : CppNameSafety::unsafe;
}

bool is_safe_rust_name(std::string_view name) {
  constexpr std::size_t back_reference_limit = 10;
  if (!name.starts_with("_R")) return true;
  bool has_punycode = false;
  for (std::size_t at = 0; at + 1 < name.size(); ++at)
    has_punycode |= name[at] == 'u' && is_digit(name[at + 1]);
  return !has_punycode || count(name, "B") <= back_reference_limit;
}

bool is_safe_d_name(std::string_view name) {
  // A back reference is "Q" and its distance in base 26, upper-case digits before a last one in lower case.
  // One to an identifier (a digit) does not expand any further; one to a type can at most double the output.
  constexpr std::size_t output_limit_bytes = 16 << 20;
  std::size_t output_bytes = name.size();
  for (std::size_t at = 0; at < name.size() && output_bytes <= output_limit_bytes; ++at) {
    if (name[at] != 'Q') continue;
    std::size_t distance = 0;
    std::size_t end = at + 1;
    while (end < name.size() && is_upper(name[end]) && distance <= name.size())
      distance = distance * 26 + static_cast<std::size_t>(name[end++] - 'A');
    if (end >= name.size() || !is_lower(name[end])) continue;
    distance = distance * 26 + static_cast<std::size_t>(name[end] - 'a');
    if (distance > at || !is_digit(name[at - distance])) output_bytes *= 2;
  }
  return output_bytes <= output_limit_bytes;
}

}  // namespace pilotlight
