// SPDX-License-Identifier: Apache-2.0
// The flame graph's script in a real browser: the document as it is after the script ran.
#include "tests/worker/export/browser.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <regex>

#include "tests/support/requires.h"
#include "tests/worker/export/profile_builder.h"
#include "tests/worker/export/svg_reader.h"
#include "worker/export/flame_graph_svg.h"

using namespace pilotlight;
using namespace pilotlight::test;

namespace {

/// What is between a pattern's one pair of parentheses.
std::string part(const std::string& document, const std::string& pattern) {
  std::smatch found;
  BOOST_REQUIRE_MESSAGE(std::regex_search(document, found, std::regex(pattern)),
                        "no " << pattern << " in " << document);
  return found[1];
}

std::string matched(const std::string& document) {
  return part(document, R"(class="matched"(?: ?/>|[^>]*>([^<]*)<))");
}

std::string details(const std::string& document) {
  return part(document, R"(class="details"[^>]*>([^<]*)<)");
}

std::string address(const std::string& document) { return part(document, R"(data-address="([^"]*)\")"); }

bool shows_reset(const std::string& document) {
  return part(document, "<button([^>]*)>Reset zoom").find("hidden") == std::string::npos;
}

/// The frames of small_profile() before and after the script.
class LiveFrames {
 public:
  explicit LiveFrames(const std::string& document)
      : before_(read_svg(export_flame_graph_svg(small_profile()).value()).frames),
        after_(read_svg(document).frames) {
    BOOST_REQUIRE(before_.size() == after_.size());
  }

  /// The frame of this name that had so many samples to its left.
  [[nodiscard]] const SvgFrame& at(const std::string& name, std::uint64_t left) const {
    const auto found = std::ranges::find_if(
        before_, [&](const SvgFrame& frame) { return frame.name == name && frame.left == left; });
    BOOST_REQUIRE_MESSAGE(found != before_.end(), "no " << name << " at " << left);
    return after_[static_cast<std::size_t>(found - before_.begin())];
  }

  [[nodiscard]] bool is(const std::string& style, const std::string& name, std::uint64_t left) const {
    return (" " + at(name, left).style + " ").find(" " + style + " ") != std::string::npos;
  }

 private:
  std::vector<SvgFrame> before_;
  std::vector<SvgFrame> after_;
};

std::vector<std::string> visit_small(const std::vector<Visit>& visits) {
  return visit(export_flame_graph_svg(small_profile()).value(), visits);
}

/// JavaScript that sends an event to the first frame of a name.
std::string send(const std::string& event, const std::string& name) {
  return "[...page.querySelectorAll('.row > g')].find((g) => g.firstChild.textContent.startsWith('" + name +
         "\\n')).querySelector('rect').dispatchEvent(new MouseEvent('" + event + "', { bubbles: true }));";
}

std::string press(const std::string& key, bool control) {
  return "view.dispatchEvent(new KeyboardEvent('keydown', { key: '" + key +
         "', ctrlKey: " + (control ? "true" : "false") + ", cancelable: true }));";
}

std::string type(const std::string& text) {
  return "page.querySelector('input').value = '" + text +
         "'; page.querySelector('input').dispatchEvent(new Event('input'));";
}

const auto tight = boost::test_tools::tolerance(1e-9);

}  // namespace

BOOST_AUTO_TEST_SUITE(in_a_browser, *boost::unit_test::precondition(NeedsProgram{"chromium"}))

// small_profile() by position: [truncated] 0–14, [unknown] 14–15, main 15–100 with read 15–40 and work
// 40–100.

BOOST_AUTO_TEST_CASE(the_address_searches_and_zooms) {
  const TemporaryDirectory directory;
  write_file(directory / "graph.svg", export_flame_graph_svg(small_profile()).value());
  const std::string document = open_in_browser(directory, "graph.svg?s=%5E(work%7Cleaf%7Cmain)%24&x=20&y=2");
  BOOST_TEST(matched(document) == "Matched: 99.00 % (100.00 % of the view)");
  BOOST_TEST(shows_reset(document));
}

BOOST_AUTO_TEST_CASE(searching) {
  const auto pages = visit_small({{"", ""},
                                  {"?s=%5E(work%7Cleaf%7Cmain)%24", ""},
                                  {"?s=all", ""},
                                  {"?s=VFS", ""},
                                  {"?s=VFS&i=1", ""},
                                  {"?s=(", ""}});
  BOOST_TEST(matched(pages[0]).empty());
  BOOST_TEST(matched(pages[1]) == "Matched: 99.00 %", "nested matches are counted once");
  const LiveFrames frames(pages[1]);
  BOOST_TEST(frames.is("match", "work", 40));
  BOOST_TEST(frames.is("match", "leaf", 0));
  BOOST_TEST(!frames.is("match", "read", 15));
  BOOST_TEST(matched(pages[2]) == "Matched: 0.00 %", "the root is no code");
  BOOST_TEST(matched(pages[3]) == "Matched: 0.00 %");
  BOOST_TEST(matched(pages[4]) == "Matched: 25.00 %");
  BOOST_TEST(matched(pages[5]) == "Not a regular expression");
}

BOOST_AUTO_TEST_CASE(zooming) {
  const auto pages =
      visit_small({{"", ""},
                   {"?x=20&y=2&s=read%24", ""},
                   {"?x=14&y=2", ""},
                   {"", send("click", "main")},
                   {"", send("click", "main") + send("click", "worker")},
                   {"", send("click", "main") + "page.querySelectorAll('button')[1].click();"}});
  const LiveFrames whole(pages[0]);
  BOOST_TEST(whole.at("read", 15).width_percent == 25, tight);
  BOOST_TEST(whole.at("vfs_read", 15).label == "vfs_read");
  BOOST_TEST(whole.at("[unknown]", 14).label.empty());
  BOOST_TEST(!shows_reset(pages[0]));
  for (const std::size_t page : {1U, 3U}) {
    const LiveFrames zoomed(pages[page]);
    BOOST_TEST(zoomed.at("main", 15).x_percent == 0);
    BOOST_TEST(zoomed.at("main", 15).width_percent == 100, tight);
    BOOST_TEST(zoomed.at("read", 15).width_percent == 100 * 25 / 85.0, tight);
    BOOST_TEST(zoomed.at("work", 40).x_percent == 100 * 25 / 85.0, tight);
    BOOST_TEST(zoomed.at("worker", 0).width_percent == 100, tight);
    BOOST_TEST(zoomed.is("ancestor", "worker", 0));
    BOOST_TEST(zoomed.is("ancestor", "all", 0));
    BOOST_TEST(!zoomed.is("ancestor", "main", 15));
    BOOST_TEST(zoomed.is("hidden", "leaf", 0));
    BOOST_TEST(!zoomed.is("hidden", "leaf", 40));
    BOOST_TEST(shows_reset(pages[page]));
  }
  BOOST_TEST(matched(pages[1]) == "Matched: 25.00 % (29.41 % of the view)");
  BOOST_TEST(address(pages[3]) == "?x=15&amp;y=2");
  BOOST_TEST(LiveFrames(pages[2]).at("[unknown]", 14).label == "[unknown]", "there is room for it now");
  BOOST_TEST(LiveFrames(pages[4]).at("main", 15).width_percent == 85, tight);
  BOOST_TEST(LiveFrames(pages[5]).at("main", 15).width_percent == 85, tight);
  BOOST_TEST(!shows_reset(pages[5]));
  BOOST_TEST(address(pages[5]).empty());
}

BOOST_AUTO_TEST_CASE(keys_and_pointer) {
  const auto pages = visit_small({{"", type("VFS")},
                                  {"", type("VFS") + press("i", true)},
                                  {"", type("vfs") + press("Escape", false)},
                                  {"", press("f", true) + "page.documentElement.setAttribute('data-focus', "
                                                          "page.activeElement.localName);"},
                                  {"", send("mouseover", "read")},
                                  {"", send("click", "main") + send("mouseover", "read")}});
  BOOST_TEST(matched(pages[0]) == "Matched: 0.00 %");
  BOOST_TEST(address(pages[0]) == "?s=VFS");
  BOOST_TEST(matched(pages[1]) == "Matched: 25.00 %");
  BOOST_TEST(address(pages[1]) == "?s=VFS&amp;i=1");
  BOOST_TEST(matched(pages[2]).empty());
  BOOST_TEST(!LiveFrames(pages[2]).is("match", "vfs_read", 15));
  BOOST_TEST(part(pages[3], "data-focus=\"([^\"]*)\"") == "input");
  BOOST_TEST(details(pages[4]) == "25.00 %, 25 samples   read");
  BOOST_TEST(details(pages[5]) == "25.00 %, 25 samples, 29.41 % of the view   read");
}

BOOST_AUTO_TEST_CASE(hostile_names_run_nothing) {
  const auto pages = visit(export_flame_graph_svg(hostile_profile()).value(), {{"?s=script", ""}});
  // Its own 2 samples and the 3 of the stack of all names, of 60.
  BOOST_TEST(matched(pages[0]) == "Matched: 8.33 %");
  BOOST_TEST(pages[0].find("<script>alert") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(many_samples_are_told_exactly) {
  ProfileBuilder builder;
  const auto process = builder.process(1, "p");
  builder.stack(process, {"one"}, 1'234'567);
  builder.stack(process, {"other"}, 7'654'321);
  builder.stack(process, {"small"}, 1'003);
  const auto pages = visit(export_flame_graph_svg(builder.profile).value(),
                           {{"", send("mouseover", "small")}, {"", send("mouseover", "one")}});
  BOOST_TEST(details(pages[0]) == "0.01 %, 1,003 samples   small");
  BOOST_TEST(details(pages[1]) == "13.89 %, 1,234,567 samples   one");
}

BOOST_AUTO_TEST_CASE(the_header_stays_in_sight_and_the_width_is_the_windows) {
  ProfileBuilder builder;
  builder.stack(builder.process(1, "p"), std::vector<std::string>(100, "recursive"), 1);
  const auto pages = visit(export_flame_graph_svg(builder.profile).value(),
                           {{"", "view.scrollTo(0, 300); view.dispatchEvent(new Event('scroll'));"}});
  BOOST_TEST(part(pages[0], R"(class="header" transform="([^"]*)\")") == "translate(0 300)");
  const double width = std::stod(part(pages[0], R"(class="canvas"[^>]* width="([^"]*)\")"));
  BOOST_TEST(width > 900);  // 1000 less the margins and the scroll bar
  BOOST_TEST(width <= 976);
}

BOOST_AUTO_TEST_CASE(it_works_inside_another_page) {
  const TemporaryDirectory directory;
  std::string svg = export_flame_graph_svg(small_profile()).value();
  svg.erase(0, svg.find("<svg"));
  write_file(
      directory / "page.html",
      R"(<!DOCTYPE html><meta charset="utf-8"><h1>Report</h1><div style="width: 500px">)" + svg + "</div>");
  const std::string document = open_in_browser(directory, "page.html?s=read");
  BOOST_TEST(matched(document).empty(), "the address is the page's");
  BOOST_TEST(part(document, "class=\"canvas\"[^>]* width=\"([0-9]*)\"") == "476");
  BOOST_TEST(part(document, "<title>read\n[^<]*</title><rect x=\"15%\" width=\"([^\"]*)\"") == "25%");
}

BOOST_AUTO_TEST_SUITE_END()
