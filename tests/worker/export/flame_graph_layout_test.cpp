// SPDX-License-Identifier: Apache-2.0
#include "worker/export/flame_graph_layout.h"

#include <boost/test/unit_test.hpp>
#include <set>

#include "tests/worker/export/profile_builder.h"

using namespace pilotlight;
using namespace pilotlight::test;

namespace {

Profile wide_profile() {
  ProfileBuilder builder;
  const auto process = builder.process(1, "p");
  builder.stack(process, {"main", "big"}, 90);
  builder.stack(process, {"main", "medium", "inner"}, 8);
  builder.stack(process, {"main", "small", "inner"}, 1);
  builder.stack(process, {"main", "tiny"}, 1);
  return builder.profile;
}

std::set<std::string> names_in(const FlameGraph& graph, const FlameGraphLayout& layout) {
  std::set<std::string> names;
  for (const auto& row : layout.rows)
    for (const PlacedFrame& place : row) names.insert(graph.names[graph.frames[place.index].frame.name]);
  return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(flame_graph_layout)

BOOST_AUTO_TEST_CASE(children_lie_side_by_side_within_their_parent) {
  const FlameGraph graph = make_flame_graph(wide_profile());
  const FlameGraphLayout layout = lay_out(graph);
  BOOST_TEST(layout.frames_not_drawn == 0U);
  BOOST_TEST(layout.samples_not_drawn_fully == 0U);
  BOOST_REQUIRE(layout.rows.size() == 5U);
  std::vector<std::uint64_t> lefts;
  for (const PlacedFrame& place : layout.rows[3]) lefts.push_back(place.left);
  BOOST_TEST(lefts == (std::vector<std::uint64_t>{0, 90, 98, 99}));
  BOOST_TEST(layout.rows[4][0].left == 90U);
  BOOST_TEST(layout.rows[4][1].left == 98U);
}

BOOST_AUTO_TEST_CASE(narrow_frames_are_left_out_and_counted) {
  const FlameGraph graph = make_flame_graph(wide_profile());
  const FlameGraphLayout layout = lay_out(graph, {.minimum_share = 0.05, .frames = 1000});
  BOOST_TEST(layout.frames_not_drawn == 3U);  // small, its inner, tiny
  BOOST_TEST(layout.samples_not_drawn_fully == 2U);
  const std::set<std::string> expected{"all", "p", "main", "big", "medium", "inner"};
  BOOST_TEST(names_in(graph, layout) == expected);
}

BOOST_AUTO_TEST_CASE(the_widest_frames_fill_a_small_budget) {
  const FlameGraph graph = make_flame_graph(wide_profile());
  for (std::size_t budget = 1; budget <= graph.frames.size(); ++budget) {
    const FlameGraphLayout layout = lay_out(graph, {.minimum_share = 0, .frames = budget});
    std::size_t drawn = 0;
    for (const auto& row : layout.rows) drawn += row.size();
    BOOST_TEST(drawn == budget);  // none was chosen without its parent
    BOOST_TEST(layout.frames_not_drawn == graph.frames.size() - budget);
  }
  BOOST_TEST(names_in(graph, lay_out(graph, {.minimum_share = 0, .frames = 5})).contains("medium"));
}

BOOST_AUTO_TEST_SUITE_END()
