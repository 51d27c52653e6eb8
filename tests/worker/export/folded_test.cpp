// SPDX-License-Identifier: Apache-2.0
#include "worker/export/folded.h"

#include <boost/algorithm/string.hpp>
#include <boost/test/unit_test.hpp>
#include <map>

#include "tests/worker/export/profile_builder.h"
#include "worker/export/text.h"

using namespace pilotlight;
using namespace pilotlight::test;

namespace {

/// Reads folded text as other programs do: the count is what follows the last space.
std::map<std::string, std::uint64_t> parse(const std::string& text) {
  std::map<std::string, std::uint64_t> stacks;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto space = line.rfind(' ');
    BOOST_REQUIRE(space != std::string::npos);
    const std::string count = line.substr(space + 1);
    BOOST_TEST(!count.empty());
    BOOST_TEST(count.find_first_not_of("0123456789") == std::string::npos);
    const bool is_new = stacks.emplace(line.substr(0, space), std::stoull(count)).second;
    BOOST_TEST(is_new, "twice: " << line);
  }
  return stacks;
}

std::uint64_t total(const std::map<std::string, std::uint64_t>& stacks) {
  std::uint64_t sum = 0;
  for (const auto& [stack, count] : stacks) sum += count;
  return sum;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(folded)

BOOST_AUTO_TEST_CASE(every_stack_is_a_line_from_process_to_leaf) {
  const auto stacks = parse(export_folded(small_profile()).value());
  const std::map<std::string, std::uint64_t> expected{{"worker;main;work;middle;leaf", 60},
                                                      {"worker;main;read;vfs_read_[k]", 25},
                                                      {"worker;[truncated];work;middle;leaf", 14},
                                                      {"worker;[unknown]", 1}};
  BOOST_TEST((stacks == expected));
}

BOOST_AUTO_TEST_CASE(stacks_that_read_the_same_are_one_line) {
  ProfileBuilder builder;
  const auto one = builder.process(1, "same");
  const auto other = builder.process(2, "same");
  builder.sample(one, {builder.frame("f")}, 2);
  builder.sample(other, {builder.frame("f")}, 3);
  builder.sample(other, {builder.frame("a;b")}, 5);
  builder.sample(other, {builder.frame("a:b")}, 7);
  const auto stacks = parse(export_folded(builder.profile).value());
  BOOST_TEST(stacks.at("same;f") == 5U);
  BOOST_TEST(stacks.at("same;a:b") == 12U);
  BOOST_TEST(stacks.size() == 2U);
}

BOOST_AUTO_TEST_CASE(threads_are_frames_where_the_profile_keeps_them_apart) {
  ProfileBuilder builder;
  const auto process = builder.process(1, "server");
  builder.stack(process, {"main"}, 2).thread_id = 17;
  builder.stack(process, {"main"}, 3).thread_id = 18;
  builder.profile.samples.back().thread_name = "pool";
  const auto stacks = parse(export_folded(builder.profile).value());
  BOOST_TEST(stacks.at("server;server (tid 17);main") == 2U);
  BOOST_TEST(stacks.at("server;pool (tid 18);main") == 3U);
}

BOOST_AUTO_TEST_CASE(frames_without_names_say_where_they_are) {
  ProfileBuilder builder;
  const auto process = builder.process(1, "server");
  const auto library = builder.mapping("/usr/lib/lib x.so (deleted)", false);
  const auto anonymous = builder.mapping("[anon]", false);
  const auto start = builder.profile.mappings[library].start;
  const auto kernel = builder.bare(0xffffffff81000000, no_mapping);
  builder.profile.locations[kernel].kind = FrameKind::kernel;
  builder.sample(process, {builder.bare(start + 0x234, library)}, 1);
  builder.sample(process, {builder.bare(0x777, anonymous), builder.bare(0x888, no_mapping)}, 2);
  builder.sample(process, {kernel}, 3);
  const auto stacks = parse(export_folded(builder.profile).value());
  BOOST_TEST(stacks.at("server;lib x.so+0x1234") == 1U);
  BOOST_TEST(stacks.at("server;[anon];[unknown]") == 2U);
  BOOST_TEST(stacks.at("server;[kernel]_[k]") == 3U);
}

BOOST_AUTO_TEST_CASE(hostile_names_break_no_line) {
  const Profile profile = hostile_profile();
  const std::string text = export_folded(profile).value();
  BOOST_TEST(valid_utf8(text) == text);
  BOOST_TEST(text.find('\r') == std::string::npos);
  BOOST_TEST(text.back() == '\n');
  const auto stacks = parse(text);
  BOOST_TEST(total(stacks) == profile.accounting.samples);
  BOOST_TEST(stacks.size() == profile.samples.size());
  for (const auto& [stack, count] : stacks) {
    std::vector<std::string> frames;
    boost::split(frames, stack, [](char character) { return character == ';'; });
    BOOST_TEST(frames.size() >= 2U);
    for (const std::string& frame : frames) BOOST_TEST(!frame.empty());
  }
  const std::string process = R"(a:b 9 <c>&"'\x0a)";
  BOOST_TEST(stacks.at(process + R"(;a<b>&"c':d)") == 1U);
  BOOST_TEST(stacks.at(process + R"(;line\x0abreak\x0d\x09tab)") == 3U);
  BOOST_TEST(stacks.at(process + R"(;bad \xff\xfe utf-8 \xc3)") == 4U);
  BOOST_TEST(stacks.at(process + "; 12 34 ") == 5U);
  BOOST_TEST(stacks.at(process + ";" + hostile_names().back()) == 10U);
  BOOST_TEST(stacks.at("[unknown];[unknown]") == 2U);
}

BOOST_AUTO_TEST_CASE(a_profile_without_samples_is_an_error) {
  BOOST_TEST(!export_folded(Profile{}));
  ProfileBuilder builder;
  builder.stack(builder.process(1, "x"), {"f"}, 0);
  BOOST_TEST(!export_folded(builder.profile));
}

BOOST_AUTO_TEST_SUITE_END()
