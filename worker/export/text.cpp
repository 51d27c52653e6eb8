// SPDX-License-Identifier: Apache-2.0
#include "worker/export/text.h"

#include <array>
#include <boost/locale/utf.hpp>
#include <charconv>

namespace pilotlight {

namespace {

namespace utf = boost::locale::utf;

constexpr std::string_view ellipsis = "…";

void append_escaped(std::string& text, std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += "\\x";
    text += digits[value >> 4U];
    text += digits[value & 0xfU];
  }
}

bool breaks_a_line_or_xml(utf::code_point point) {
  const bool control = point < 0x20 || (point >= 0x7f && point < 0xa0);
  const bool separator = point == 0x2028 || point == 0x2029;
  const bool forbidden = point == 0xfffe || point == 0xffff;
  return control || separator || forbidden;
}

template <class Predicate>
std::string escape_where(std::string_view bytes, Predicate must_escape) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const char* next = bytes.data();
    const auto point = utf::utf_traits<char>::decode(next, bytes.data() + bytes.size());
    const bool valid = utf::is_valid_codepoint(point);
    const std::string_view unit = bytes.substr(0, valid ? static_cast<std::size_t>(next - bytes.data()) : 1);
    if (!valid || must_escape(point))
      append_escaped(text, unit);
    else
      text += unit;
    bytes.remove_prefix(unit.size());
  }
  return text;
}

bool continues_a_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80; }

}  // namespace

std::string valid_utf8(std::string_view bytes) {
  return escape_where(bytes, [](utf::code_point) { return false; });
}

std::string printable(std::string_view bytes) { return escape_where(bytes, breaks_a_line_or_xml); }

std::string shortened(std::string_view text, std::size_t limit_bytes) {
  if (text.size() <= limit_bytes) return std::string(text);
  const std::size_t kept = limit_bytes - ellipsis.size();
  std::size_t head = kept - kept / 2;
  std::size_t tail = text.size() - kept / 2;
  while (head > 0 && continues_a_character(text[head])) --head;
  while (tail < text.size() && continues_a_character(text[tail])) ++tail;
  return std::string(text.substr(0, head)).append(ellipsis).append(text.substr(tail));
}

std::string cut(std::string_view text, std::size_t limit_characters) {
  std::size_t characters = 0;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (continues_a_character(text[at])) continue;
    if (++characters == limit_characters) end = at;
    if (characters > limit_characters) return std::string(text.substr(0, end)).append(ellipsis);
  }
  return std::string(text);
}

std::string escaped_for_xml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char character : text) switch (character) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += character;
    }
  return escaped;
}

std::string with_thousands_separators(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string counted(std::uint64_t number, std::string_view singular) {
  std::string text = with_thousands_separators(number).append(1, ' ').append(singular);
  if (number != 1) text += 's';
  return text;
}

std::string percentage(std::uint64_t part, std::uint64_t whole) {
  const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  return decimal(share * 100, 2) + " %";
}

std::string decimal(double number, int decimals) {
  std::array<char, 64> buffer{};
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed, decimals);
  if (result.ec != std::errc()) return "0";  // beyond 10^60
  std::string text(buffer.data(), result.ptr);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

}  // namespace pilotlight
