// SPDX-License-Identifier: Apache-2.0
#include "worker/export/flame_graph_svg.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>

#include "tests/support/child.h"
#include "tests/support/requires.h"
#include "tests/support/temporary_directory.h"
#include "tests/worker/export/profile_builder.h"
#include "tests/worker/export/svg_reader.h"
#include "worker/export/text.h"

using namespace pilotlight;
using namespace pilotlight::test;

namespace {

SvgPage page_of(const Profile& profile) { return read_svg(export_flame_graph_svg(profile).value()); }

const SvgFrame& frame_named(const SvgPage& page, const std::string& name) {
  const auto found = std::ranges::find(page.frames, name, &SvgFrame::name);
  BOOST_REQUIRE_MESSAGE(found != page.frames.end(), "no frame " << name);
  return *found;
}

/// Many frames with C++ names of usual lengths: 100 functions that each call 49 others.
Profile large_profile() {
  ProfileBuilder builder;
  const auto process = builder.process(1, "server");
  const auto name = [](int number) {
    return "library::Component" + std::to_string(number) + "::handle(int)";
  };
  std::vector<std::uint32_t> frames;
  frames.reserve(100);
  for (int number = 0; number < 100; ++number) frames.push_back(builder.frame(name(number)));
  for (std::size_t outer = 0; outer < 100; ++outer)
    for (std::size_t inner = 0; inner < 49; ++inner)
      builder.sample(process, {frames[outer], frames[inner]}, 1 + inner % 3);
  return builder.profile;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(flame_graph_svg)

BOOST_AUTO_TEST_CASE(every_frame_is_there_with_its_count_and_width) {
  const SvgPage page = page_of(small_profile());
  BOOST_TEST(page.total == 100U);
  std::multimap<std::string, std::uint64_t> counts;
  for (const SvgFrame& frame : page.frames) {
    counts.emplace(frame.name, frame.samples);
    BOOST_TEST(frame.x_percent == static_cast<double>(frame.left), boost::test_tools::tolerance(1e-9));
    BOOST_TEST(frame.width_percent == static_cast<double>(frame.samples), boost::test_tools::tolerance(1e-9));
    const std::string share = counted(frame.samples, "sample") + ", " + std::to_string(frame.samples) + " %";
    BOOST_TEST(frame.figures == share);
  }
  const std::multimap<std::string, std::uint64_t> expected{
      {"all", 100}, {"worker", 100},  {"[truncated]", 14}, {"work", 14}, {"middle", 14},
      {"leaf", 14}, {"[unknown]", 1}, {"main", 85},        {"read", 25}, {"vfs_read", 25},
      {"work", 60}, {"middle", 60},   {"leaf", 60}};
  const auto sorted = [](const auto& map) {
    std::vector<std::pair<std::string, std::uint64_t>> pairs(map.begin(), map.end());
    std::ranges::sort(pairs);
    return pairs;
  };
  BOOST_TEST((sorted(counts) == sorted(expected)));
}

BOOST_AUTO_TEST_CASE(frames_nest_and_do_not_overlap) {
  const SvgPage page = page_of(large_profile());
  std::map<std::size_t, std::uint64_t> ends;
  for (const SvgFrame& frame : page.frames) {
    BOOST_TEST(frame.left >= ends[frame.depth]);
    ends[frame.depth] = frame.left + frame.samples;
    if (frame.depth == 0) continue;
    const bool has_parent = std::ranges::any_of(page.frames, [&](const SvgFrame& parent) {
      return parent.depth + 1 == frame.depth && parent.left <= frame.left &&
             parent.left + parent.samples >= frame.left + frame.samples;
    });
    BOOST_TEST(has_parent, frame.name << " at depth " << frame.depth);
  }
}

BOOST_AUTO_TEST_CASE(kinds_have_their_own_colours_and_names_keep_their_shade) {
  const SvgPage page = page_of(small_profile());
  BOOST_TEST(frame_named(page, "worker").kind == "p");
  BOOST_TEST(frame_named(page, "main").kind == "u");
  BOOST_TEST(frame_named(page, "vfs_read").kind == "k");
  BOOST_TEST(frame_named(page, "[truncated]").kind == "m");
  BOOST_TEST(frame_named(page, "[unknown]").kind == "m");
  std::map<std::string, std::string> styles;
  for (const SvgFrame& frame : page.frames) {
    const std::string& style = styles.emplace(frame.name, frame.style).first->second;
    BOOST_TEST(style == frame.style);
  }
}

BOOST_AUTO_TEST_CASE(labels_are_cut_to_the_width) {
  const SvgPage page = page_of(hostile_profile());
  const SvgFrame& narrow = frame_named(page, R"(line\x0abreak\x0d\x09tab)");
  BOOST_TEST(narrow.label.ends_with("…"));
  BOOST_TEST(narrow.name.starts_with(narrow.label.substr(0, narrow.label.size() - 3)));
  BOOST_TEST(frame_named(page_of(small_profile()), "leaf").label == "leaf");
  BOOST_TEST(frame_named(page_of(small_profile()), "[unknown]").label.empty());
}

BOOST_AUTO_TEST_CASE(the_header_tells_what_it_is) {
  const SvgPage page = page_of(small_profile());
  BOOST_TEST(page.title == "worker (pid 4711) on web1");
  BOOST_TEST(page.subtitle == "100 CPU samples in 10 s · 99 Hz per CPU · 2025-01-02 03:04:05 UTC");
  BOOST_TEST(page.subtitle_tooltip == "host: web1\nkernel: 6.18.0\n");
  BOOST_TEST(page.notices.empty());
}

BOOST_AUTO_TEST_CASE(losses_are_on_the_page) {
  Profile profile = small_profile();
  profile.accounting.lost = 1234;
  profile.accounting.truncated_broken = 5;
  profile.accounting.missed_ticks = 6;
  profile.accounting.unsymbolized_no_symbol = 7;
  profile.accounting.unsymbolized_anonymous = 8;
  profile.accounting.process_events_lost = 9;
  std::string text;
  for (const std::string& notice : page_of(profile).notices) text += notice + "\n";
  for (const char* const part : {"Incomplete: lost samples: 1,234", "broken stack: 5", "ticks: 6",
                                 "symbol: 7", "file: 8", "events: 9"})
    BOOST_TEST(text.find(part) != std::string::npos, part << " is not in " << text);
}

BOOST_AUTO_TEST_CASE(frames_that_are_not_drawn_are_on_the_page) {
  const auto svg = export_flame_graph_svg(small_profile(), {.minimum_share = 0.2, .frames = 1000});
  const SvgPage page = read_svg(svg.value());
  BOOST_REQUIRE(page.notices.size() == 1U);
  BOOST_TEST(page.notices[0] == "Not drawn: 5 narrow frames in stacks of 15 samples (15 %)");
  BOOST_TEST(page.frames.size() == 8U);
}

BOOST_AUTO_TEST_CASE(hostile_names_are_text_and_nothing_else) {
  const SvgPage page = page_of(hostile_profile());
  for (const std::string& name : hostile_names())
    BOOST_TEST(frame_named(page, shortened(printable(name), longest_flame_graph_name)).samples > 0U);
  BOOST_TEST(frame_named(page, R"(a;b 9 <c>&"'\x0a)").kind == "p");
  BOOST_TEST(page.title == R"(2 processes on <&"'\x0a\xff>)");
}

BOOST_AUTO_TEST_CASE(it_is_well_formed_for_an_independent_parser,
                     *boost::unit_test::precondition(NeedsProgram{"xmllint"})) {
  const TemporaryDirectory directory;
  for (const Profile& profile : {small_profile(), hostile_profile(), large_profile()}) {
    write_file(directory / "graph.svg", export_flame_graph_svg(profile).value());
    const Finished finished =
        run_to_end({find_program("xmllint"), "--nonet", "--noout", directory / "graph.svg"});
    BOOST_TEST(finished.exit_code == 0, finished.standard_error);
    BOOST_TEST(finished.standard_error.empty());
  }
}

BOOST_AUTO_TEST_CASE(five_thousand_frames_stay_small_and_need_no_network) {
  const std::string svg = export_flame_graph_svg(large_profile()).value();
  BOOST_TEST(read_svg(svg).frames.size() == 5002U);
  BOOST_TEST(svg.size() < 700'000U);
  // The only addresses are the names of the two markup languages.
  std::size_t addresses = 0;
  for (std::size_t at = svg.find("://"); at != std::string::npos; at = svg.find("://", at + 1)) {
    const std::string host = svg.substr(at + 3, 10);
    BOOST_TEST(host == "www.w3.org");
    ++addresses;
  }
  BOOST_TEST(addresses == 3U);
  BOOST_TEST(svg.find("@import") == std::string::npos);
  BOOST_TEST(svg.find("url(") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_profile_without_samples_is_an_error) {
  BOOST_TEST(!export_flame_graph_svg(Profile{}));
  ProfileBuilder builder;
  builder.stack(builder.process(1, "x"), {"f"}, 0);
  BOOST_TEST(!export_flame_graph_svg(builder.profile));
}

BOOST_AUTO_TEST_SUITE_END()
