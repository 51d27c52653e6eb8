// SPDX-License-Identifier: Apache-2.0
#include "worker/aggregate/profile_builder.h"

#include <boost/test/unit_test.hpp>
#include <memory>

namespace pilotlight {

namespace {

constexpr std::uint32_t pid = 4'000'000'000;  // beyond any real pid: nothing is read from /proc

ProcessEvent mapping(std::uint64_t start, std::uint64_t limit, std::uint64_t file_offset, const char* path) {
  auto file = std::make_shared<MappedFile>(MappedFile{.path = path, .build_id = "ab"});
  return {
      .time_ns = 1,
      .what = MemoryMapped{
          .pid = pid, .region = {.start = start, .limit = limit, .file_offset = file_offset, .file = file}}};
}

ProcessTable table_with_program() {
  ProcessTable table;
  table.apply({.time_ns = 0, .what = ProcessForked{.pid = pid, .parent_pid = 1}});
  table.apply(mapping(0x1000, 0x2000, 0x100, "/bin/program"));
  return table;
}

Sample sample_of(std::vector<std::uint64_t> kernel, std::vector<std::uint64_t> user) {
  Sample sample;
  sample.process = {.pid = pid, .start_ns = 9};
  sample.thread_id = 7;
  sample.thread_name = "thread";
  sample.process_name = "program";
  sample.kernel_stack = std::move(kernel);
  sample.user_stack = std::move(user);
  return sample;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(profile_builder)

BOOST_AUTO_TEST_CASE(equal_stacks_are_counted_together) {
  ProcessTable processes = table_with_program();
  ProfileBuilder builder(false);
  for (int i = 0; i < 3; ++i) builder.add(sample_of({}, {0x1010, 0x1020}), processes);
  builder.add(sample_of({}, {0x1010, 0x1021}), processes);
  const Profile profile = builder.take();
  BOOST_REQUIRE(profile.samples.size() == 2U);
  BOOST_TEST(profile.samples[0].count == 3U);
  BOOST_TEST(profile.samples[1].count == 1U);
  BOOST_TEST(profile.accounting.samples == 4U);
  BOOST_TEST(profile.locations.size() == 3U);
  BOOST_REQUIRE(profile.processes.size() == 1U);
  BOOST_TEST(profile.processes[0].name == "program");
}

BOOST_AUTO_TEST_CASE(leaves_stay_where_they_are_and_callers_are_stepped_back_to_their_call) {
  ProcessTable processes = table_with_program();
  ProfileBuilder builder(false);
  builder.add(sample_of({0xffffffff81000010, 0xffffffff81000020}, {0x1010, 0x1020}), processes);
  const Profile profile = builder.take();
  std::vector<std::uint64_t> addresses;
  for (const auto index : profile.samples.at(0).locations)
    addresses.push_back(profile.locations[index].address);
  // The user's leaf is where the system call was made: not a return address.
  BOOST_TEST(addresses ==
             (std::vector<std::uint64_t>{0xffffffff81000010, 0xffffffff8100001f, 0x1010, 0x101f}));
  BOOST_CHECK(profile.locations[profile.samples[0].locations[0]].kind == FrameKind::kernel);
  BOOST_CHECK(profile.locations[profile.samples[0].locations[2]].kind == FrameKind::user);
}

BOOST_AUTO_TEST_CASE(a_return_address_just_past_a_mapping_belongs_to_it) {
  // A call as the very last instruction returns to the first byte after the mapping.
  ProcessTable processes = table_with_program();
  ProfileBuilder builder(false);
  builder.add(sample_of({}, {0x1010, 0x2000}), processes);
  const Profile profile = builder.take();
  BOOST_TEST(profile.samples.at(0).locations.size() == 2U);
  BOOST_TEST(profile.accounting.truncated_broken == 0U);
}

BOOST_AUTO_TEST_CASE(a_caller_outside_executable_memory_ends_the_stack_with_a_marker) {
  ProcessTable processes = table_with_program();
  ProfileBuilder builder(false);
  builder.add(sample_of({}, {0x1010, 0x999999, 0x1020}), processes);
  const Profile profile = builder.take();
  const auto& locations = profile.samples.at(0).locations;
  BOOST_REQUIRE(locations.size() == 2U);
  const Location& marker = profile.locations[locations[1]];
  BOOST_CHECK(marker.kind == FrameKind::marker);
  BOOST_TEST(profile.functions[marker.lines.at(0).function].name == "[truncated: no frame pointer]");
  BOOST_TEST(profile.accounting.truncated_broken == 1U);
}

BOOST_AUTO_TEST_CASE(a_leaf_outside_known_memory_is_kept_without_a_mapping) {
  ProcessTable processes = table_with_program();
  ProfileBuilder builder(false);
  builder.add(sample_of({}, {0x999999}), processes);
  const Profile profile = builder.take();
  BOOST_TEST(profile.locations.at(profile.samples.at(0).locations.at(0)).mapping == no_mapping);
}

BOOST_AUTO_TEST_CASE(each_way_of_ending_early_has_its_marker_and_its_count) {
  ProcessTable processes = table_with_program();
  ProfileBuilder builder(false);
  for (const StackEnd end : {StackEnd::depth, StackEnd::broken, StackEnd::unreadable, StackEnd::complete}) {
    Sample sample = sample_of({}, {0x1010});
    sample.user_end = end;
    builder.add(sample, processes);
  }
  const Profile profile = builder.take();
  BOOST_TEST(profile.accounting.truncated_depth == 1U);
  BOOST_TEST(profile.accounting.truncated_broken == 1U);
  BOOST_TEST(profile.accounting.truncated_unreadable == 1U);
  BOOST_TEST(profile.functions.size() == 3U);
}

BOOST_AUTO_TEST_CASE(threads_are_kept_apart_only_on_request) {
  for (const bool apart : {false, true}) {
    ProcessTable processes = table_with_program();
    ProfileBuilder builder(apart);
    Sample sample = sample_of({}, {0x1010});
    builder.add(sample, processes);
    sample.thread_id = 8;
    builder.add(sample, processes);
    const Profile profile = builder.take();
    BOOST_TEST(profile.samples.size() == (apart ? 2U : 1U));
    BOOST_TEST(profile.samples[0].thread_id == (apart ? 7U : 0U));
  }
}

BOOST_AUTO_TEST_CASE(taking_a_profile_starts_over) {
  ProcessTable processes = table_with_program();
  ProfileBuilder builder(false);
  builder.add(sample_of({}, {0x1010}), processes);
  BOOST_TEST(builder.take().samples.size() == 1U);
  BOOST_TEST(builder.take().samples.empty());
  builder.add(sample_of({}, {0x1020}), processes);
  const Profile second = builder.take();
  BOOST_TEST(second.samples.size() == 1U);
  BOOST_TEST(second.mappings.size() == 1U);
  BOOST_TEST(second.mappings[0].build_id == "ab");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
