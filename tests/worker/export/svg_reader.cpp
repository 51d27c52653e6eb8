// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/export/svg_reader.h"

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cmath>
#include <sstream>

namespace pilotlight::test {

namespace {

using boost::property_tree::ptree;

std::string style_of(const ptree& element) { return element.get("<xmlattr>.class", std::string()); }

std::uint64_t samples_of(double percent, std::uint64_t total) {
  return static_cast<std::uint64_t>(std::llround(percent / 100 * static_cast<double>(total)));
}

SvgFrame read_frame(const ptree& element, std::size_t depth, std::uint64_t total) {
  SvgFrame frame;
  frame.style = style_of(element);
  frame.kind = frame.style.substr(0, 1);
  const auto tooltip = element.get<std::string>("title");
  const auto line_end = tooltip.find('\n');
  frame.name = tooltip.substr(0, line_end);
  frame.figures = tooltip.substr(line_end + 1);
  frame.label = element.get("text", std::string());
  frame.depth = depth;
  frame.x_percent = std::stod(element.get<std::string>("rect.<xmlattr>.x"));
  frame.width_percent = std::stod(element.get<std::string>("rect.<xmlattr>.width"));
  frame.left = samples_of(frame.x_percent, total);
  frame.samples = samples_of(frame.width_percent, total);
  return frame;
}

void read_canvas(const ptree& canvas, SvgPage& page) {
  std::size_t depth = 0;
  for (const auto& [row_tag, row] : canvas) {
    if (row_tag != "g") continue;
    for (const auto& [tag, element] : row)
      if (tag == "g") page.frames.push_back(read_frame(element, depth, page.total));
    ++depth;
  }
}

void read_header(const ptree& header, SvgPage& page) {
  for (const auto& [tag, element] : header) {
    const std::string style = style_of(element);
    if (style == "title") page.title = element.data();
    if (style == "notice") page.notices.push_back(element.data());
    if (const auto inner = element.get_child_optional("text");
        tag == "g" && inner && style_of(*inner) == "subtitle") {
      page.subtitle = inner->data();
      page.subtitle_tooltip = element.get("title", std::string());
    }
  }
}

}  // namespace

SvgPage read_svg(const std::string& svg) {
  std::istringstream stream(svg);
  ptree document;
  boost::property_tree::read_xml(stream, document);
  const ptree& root = document.get_child("svg");
  SvgPage page;
  page.total = root.get<std::uint64_t>("<xmlattr>.data-total");
  for (const auto& [tag, element] : root) {
    if (style_of(element) == "canvas") read_canvas(element, page);
    if (style_of(element) == "header") read_header(element, page);
  }
  return page;
}

}  // namespace pilotlight::test
