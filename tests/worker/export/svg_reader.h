// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pilotlight::test {

/// One box of a flame graph, as an XML parser finds it.
struct SvgFrame {
  std::string kind;   ///< first letter of its class, "a" for the root
  std::string style;  ///< the whole class
  std::string name;
  std::string figures;  ///< the tooltip's second line
  std::string label;    ///< text in the box
  std::size_t depth = 0;
  std::uint64_t left = 0;  ///< from the percentages, as the page's script has it
  std::uint64_t samples = 0;
  double x_percent = 0;
  double width_percent = 0;
};

struct SvgPage {
  std::uint64_t total = 0;
  std::string title;
  std::string subtitle;
  std::string subtitle_tooltip;
  std::vector<std::string> notices;
  std::vector<SvgFrame> frames;
};

/// Parses a flame graph with Boost.PropertyTree; throws if it is no XML of that shape.
SvgPage read_svg(const std::string& svg);

}  // namespace pilotlight::test
