// SPDX-License-Identifier: Apache-2.0
#include "worker/export/flame_graph_svg.h"

#include <array>
#include <string_view>

#include "worker/export/flame_graph.h"
#include "worker/export/flame_graph_css.h"
#include "worker/export/flame_graph_header.h"
#include "worker/export/flame_graph_js.h"
#include "worker/export/frame_style.h"
#include "worker/export/profile_facts.h"
#include "worker/export/text.h"
#include "worker/export/xml_writer.h"

namespace pilotlight {

namespace {

// Pixels. The width is only that of a picture without script; the script takes the window's.
constexpr int page_width = 1200;
constexpr int margin = 12;
constexpr int canvas_width = page_width - 2 * margin;
constexpr int row_height = 18;
constexpr int frame_height = 17;
constexpr int frame_baseline = 12;
constexpr int title_baseline = 28;
constexpr int subtitle_baseline = 48;
constexpr int notice_height = 18;
constexpr int controls_height = 62;       ///< the search line and the line about the frame under the pointer
constexpr int details_offset = 48;        ///< baseline of that line within the controls
constexpr double character_width = 6.65;  ///< of the 11-pixel monospace font, rounded up
constexpr double text_margin = 8;
constexpr std::size_t fewest_characters = 3;

/// Decimals of a percentage that show a hundredth of a pixel and tell the number of samples exactly (the
/// script reads it from there): the error of half a last place is less than half a sample.
int share_decimals(std::uint64_t total) {
  int decimals = 3;
  for (std::uint64_t told = 100'000; told <= total && decimals < 12; told *= 10) ++decimals;
  return decimals;
}

/// What of a name fits into a box of this many pixels; empty if that is nothing useful.
std::string label_of(std::string_view name, double pixels) {
  if (pixels < text_margin) return {};
  const auto room = static_cast<std::size_t>((pixels - text_margin) / character_width);
  return room < fewest_characters ? std::string() : cut(name, room);
}

class SvgWriter {
 public:
  SvgWriter(const FlameGraph& graph, const FlameGraphLayout& layout, const FlameGraphHeader& header,
            const std::vector<std::string>& comments)
      : graph_(graph),
        layout_(layout),
        header_(header),
        comments_(comments),
        total_(graph.frames.front().count),
        share_decimals_(share_decimals(total_)) {}

  std::string write() {
    controls_top_ = subtitle_baseline + 10 + notice_height * static_cast<int>(header_.notices.size());
    top_ = controls_top_ + controls_height;
    const int height = top_ + row_height * static_cast<int>(layout_.rows.size()) + margin;
    xml_.begin("svg").attribute("xmlns", "http://www.w3.org/2000/svg").attribute("class", "pilotlight");
    xml_.attribute("width", page_width)
        .attribute("height", height)
        .attribute("data-total", total_)
        .new_line();
    xml_.begin("style").cdata(flame_graph_css).end().new_line();
    write_background("100%");
    write_frames();
    write_header();
    xml_.begin("script").cdata(flame_graph_js).end().new_line();
    return std::move(xml_).finish();
  }

 private:
  void write_background(std::string_view height) {
    xml_.begin("rect")
        .attribute("class", "background")
        .attribute("width", "100%")
        .attribute("height", height);
    xml_.end().new_line();
  }

  void write_frames() {
    xml_.begin("svg").attribute("class", "canvas").attribute("x", margin).attribute("y", top_);
    xml_.attribute("width", canvas_width).new_line();
    int y = 0;
    for (const auto& row : layout_.rows) {
      const std::string place = "translate(0 " + std::to_string(y) + ")";
      xml_.begin("g").attribute("class", "row").attribute("transform", place).new_line();
      for (const PlacedFrame& frame : row) write_frame(frame);
      xml_.end().new_line();
      y += row_height;
    }
    xml_.end().new_line();
  }

  void write_frame(const PlacedFrame& place) {
    const FlameFrame& frame = graph_.frames[place.index];
    const std::string name = shortened(graph_.names[frame.frame.name], longest_flame_graph_name);
    const std::string left = share(place.left);
    const std::string width = share(frame.count);
    xml_.begin("g").attribute("class", frame.depth == 0 ? "all" : style_of(frame.frame.kind, name));
    xml_.begin("title").text(name).text("\n").text(counted(frame.count, "sample")).text(", ");
    xml_.text(percentage(frame.count, total_)).end();
    xml_.begin("rect").attribute("x", left).attribute("width", width).attribute("height", frame_height).end();
    const double pixels = canvas_width * static_cast<double>(frame.count) / static_cast<double>(total_);
    if (const std::string label = label_of(name, pixels); !label.empty())
      xml_.begin("text")
          .attribute("x", left)
          .attribute("y", frame_baseline)
          .attribute("dx", 4)
          .text(label)
          .end();
    xml_.end().new_line();
  }

  void write_header() {
    xml_.begin("g").attribute("class", "header").new_line();
    write_background(std::to_string(top_ - 4));
    write_line("title", title_baseline, header_.title);
    xml_.begin("g");
    if (!comments_.empty()) {
      xml_.begin("title");
      for (const std::string& comment : comments_) xml_.text(printable(comment)).new_line();
      xml_.end();
    }
    write_line("subtitle", subtitle_baseline, header_.subtitle);
    xml_.end().new_line();
    int y = subtitle_baseline;
    for (const std::string& notice : header_.notices) write_line("notice", y += notice_height, notice);
    write_legend();
    xml_.begin("g").attribute("class", "controls").attribute("data-y", controls_top_).end().new_line();
    write_line("details", controls_top_ + details_offset, "");
    xml_.end().new_line();
  }

  void write_line(std::string_view style, int baseline, std::string_view text) {
    xml_.begin("text")
        .attribute("class", style)
        .attribute("x", margin)
        .attribute("y", baseline)
        .text(text)
        .end();
    xml_.new_line();
  }

  /// At the right edge, whatever the width.
  void write_legend() {
    struct Entry {
      std::string_view style;
      std::string_view name;
      int width;
    };
    constexpr std::array entries{Entry{"u h3", "user", 52}, Entry{"k h3", "kernel", 62},
                                 Entry{"p h3", "process", 70}, Entry{"m h3", "incomplete", 80}};
    xml_.begin("svg").attribute("class", "legend").attribute("x", "100%").attribute("y", 17);
    xml_.attribute("overflow", "visible");
    int x = -margin;
    for (const Entry& entry : entries) x -= entry.width;
    for (const Entry& entry : entries) {
      xml_.begin("g").attribute("class", entry.style);
      xml_.begin("rect").attribute("x", x).attribute("width", 11).attribute("height", 11).end();
      xml_.begin("text").attribute("x", x + 16).attribute("y", 10).text(entry.name).end().end();
      x += entry.width;
    }
    xml_.end().new_line();
  }

  /// "12.345%" of the width.
  [[nodiscard]] std::string share(std::uint64_t samples) const {
    return decimal(100 * static_cast<double>(samples) / static_cast<double>(total_), share_decimals_) + "%";
  }

  const FlameGraph& graph_;
  const FlameGraphLayout& layout_;
  const FlameGraphHeader& header_;
  const std::vector<std::string>& comments_;
  std::uint64_t total_;
  int share_decimals_;
  int controls_top_ = 0;
  int top_ = 0;  ///< of the frames
  XmlWriter xml_;
};

}  // namespace

Result<std::string> export_flame_graph_svg(const Profile& profile) {
  return export_flame_graph_svg(profile, {});
}

Result<std::string> export_flame_graph_svg(const Profile& profile, const FlameGraphLimits& limits) {
  if (auto total = total_samples_or_failure(profile); !total) return std::unexpected(total.error());
  const FlameGraph graph = make_flame_graph(profile);
  const FlameGraphLayout layout = lay_out(graph, limits);
  const FlameGraphHeader header = make_flame_graph_header(profile, layout);
  return SvgWriter(graph, layout, header, profile.comments).write();
}

}  // namespace pilotlight
