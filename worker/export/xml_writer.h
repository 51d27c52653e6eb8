// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace pilotlight {

/// Writes XML that is well-formed as far as its calls are in order: it escapes what it is given and ends what it began.
/// Texts must be printable() (text.h), save for line feeds.
class XmlWriter {
 public:
  /// The declaration, in UTF-8.
  XmlWriter();

  /// An element within the innermost open one. The name must outlive its end().
  XmlWriter& begin(std::string_view name);

  /// An attribute of the element just begun.
  XmlWriter& attribute(std::string_view name, std::string_view value);
  XmlWriter& attribute(std::string_view name, std::integral auto value) {
    return attribute(name, std::to_string(value));
  }

  XmlWriter& text(std::string_view text);

  /// Text that stays as it is; must not hold "]]>".
  XmlWriter& cdata(std::string_view text);

  /// Ends the innermost open element.
  XmlWriter& end();

  XmlWriter& new_line();

  /// The document, with everything ended.
  [[nodiscard]] std::string finish() &&;

 private:
  void finish_start_tag();

  std::string bytes_;
  std::vector<std::string_view> open_;
  bool in_start_tag_ = false;
};

}  // namespace pilotlight
