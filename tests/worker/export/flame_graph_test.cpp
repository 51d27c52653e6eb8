// SPDX-License-Identifier: Apache-2.0
#include "worker/export/flame_graph.h"

#include <boost/test/unit_test.hpp>

#include "tests/worker/export/profile_builder.h"

using namespace pilotlight;
using namespace pilotlight::test;

namespace {

/// The tree on one line: "name:count(child child)".
std::string drawn(const FlameGraph& graph, std::uint32_t index = 0) {
  const FlameFrame& frame = graph.frames[index];
  std::string text = graph.names[frame.frame.name] + ":" + std::to_string(frame.count);
  if (frame.children.empty()) return text;
  text += "(";
  for (const std::uint32_t child : frame.children) {
    BOOST_TEST(graph.frames[child].depth == frame.depth + 1);
    text += (text.back() == '(' ? "" : " ") + drawn(graph, child);
  }
  return text + ")";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(flame_graph)

BOOST_AUTO_TEST_CASE(stacks_are_merged_from_the_root_in_alphabetical_order) {
  BOOST_TEST(drawn(make_flame_graph(small_profile())) ==
             "all:100(worker:100([truncated]:14(work:14(middle:14(leaf:14))) [unknown]:1 "
             "main:85(read:25(vfs_read:25) work:60(middle:60(leaf:60)))))");
}

BOOST_AUTO_TEST_CASE(processes_of_one_name_are_one_frame) {
  ProfileBuilder builder;
  builder.stack(builder.process(1, "sh"), {"main", "b"}, 1);
  builder.stack(builder.process(2, "sh"), {"main", "a"}, 2);
  builder.stack(builder.process(3, "awk"), {"main"}, 4);
  BOOST_TEST(drawn(make_flame_graph(builder.profile)) == "all:7(awk:4(main:4) sh:3(main:3(a:2 b:1)))");
}

BOOST_AUTO_TEST_CASE(recursion_stays_a_tower) {
  ProfileBuilder builder;
  const auto process = builder.process(1, "p");
  builder.stack(process, {"f", "f", "f"}, 2);
  builder.stack(process, {"f", "f"}, 3);
  BOOST_TEST(drawn(make_flame_graph(builder.profile)) == "all:5(p:5(f:5(f:5(f:2))))");
}

BOOST_AUTO_TEST_CASE(the_kernel_s_and_the_program_s_function_of_one_name_are_two) {
  ProfileBuilder builder;
  const auto process = builder.process(1, "p");
  builder.sample(process, {builder.frame("read", FrameKind::user)}, 1);
  builder.sample(process, {builder.frame("read", FrameKind::kernel)}, 2);
  const FlameGraph graph = make_flame_graph(builder.profile);
  BOOST_TEST(drawn(graph) == "all:3(p:3(read:1 read:2))");
  const auto& children = graph.frames[graph.frames[0].children[0]].children;
  BOOST_TEST((graph.frames[children[0]].frame.kind == NamedFrameKind::user));
  BOOST_TEST((graph.frames[children[1]].frame.kind == NamedFrameKind::kernel));
}

BOOST_AUTO_TEST_SUITE_END()
