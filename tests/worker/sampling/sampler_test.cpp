// SPDX-License-Identifier: Apache-2.0
#include "worker/sampling/sampler.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>

#include "common/arm_word.h"
#include "tests/support/child.h"
#include "tests/support/requires.h"
#include "worker/process/process_table.h"

namespace pilotlight {

namespace {

using namespace std::chrono_literals;
using test::NeedsRoot;

/// What one process did, sampled on its own for a while.
struct Recording {
  std::vector<Sample> samples;
  SamplingTally tally;
};

Recording record(std::uint32_t pid, std::uint32_t frequency, std::chrono::milliseconds duration) {
  ArmWord word = ArmWord::create().value();
  const UniqueFd reader = word.read_only_fd().value();
  Sampler sampler =
      Sampler::create({.arm_word_fd = reader.get(), .frequency = frequency, .only_targets = true}).value();
  BOOST_REQUIRE(sampler.add_target(pid));
  BOOST_REQUIRE(word.grant());
  BOOST_REQUIRE(sampler.begin());
  Recording recording;
  const auto collect = [&] {
    Batch batch = sampler.collect();
    std::ranges::move(batch.samples, std::back_inserter(recording.samples));
  };
  for (auto left = duration; left > 0ms; left -= 50ms) {
    std::this_thread::sleep_for(50ms);
    BOOST_REQUIRE(word.renew());
    collect();
  }
  BOOST_REQUIRE(sampler.end());
  collect();
  recording.tally = sampler.take_tally().value();
  return recording;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sampler, *boost::unit_test::precondition(NeedsRoot()))

BOOST_AUTO_TEST_CASE(the_number_of_samples_is_frequency_times_cpu_time) {
  const test::Child burner({"shares", "20"});
  std::this_thread::sleep_for(100ms);
  const Recording recording = record(static_cast<std::uint32_t>(burner.pid()), 999, 1000ms);
  const auto& tally = recording.tally;
  const auto expected = static_cast<double>(tally.expected);
  const double seen = static_cast<double>(tally.samples + tally.lost);
  BOOST_TEST_MESSAGE("samples " << tally.samples << ", lost " << tally.lost << ", missed "
                                << tally.missed_ticks << ", expected " << tally.expected);
  BOOST_TEST(recording.samples.size() == tally.samples);
  BOOST_TEST(expected > 100);
  // Ticks that came late or not at all are a counted loss; they may have hit this process or others.
  const double tolerance = std::max(0.05 * expected, 3 * std::sqrt(expected));
  BOOST_TEST(seen <= expected + tolerance);
  BOOST_TEST(seen + static_cast<double>(tally.missed_ticks) >= expected - tolerance);
}

BOOST_AUTO_TEST_CASE(only_the_target_is_sampled_with_its_names_and_user_stack) {
  const test::Child burner({"deep", "40", "20"});
  std::this_thread::sleep_for(100ms);
  const auto pid = static_cast<std::uint32_t>(burner.pid());
  const Recording recording = record(pid, 499, 500ms);
  BOOST_REQUIRE(!recording.samples.empty());
  std::size_t whole = 0;
  for (const Sample& sample : recording.samples) {
    BOOST_TEST(sample.process.pid == pid);
    BOOST_TEST(sample.process_name == "deep");
    BOOST_TEST(sample.thread_name == "deep");
    // leaf, 40 × recurse, main, and the leaf's helpers for reading the clock.
    whole += sample.user_stack.size() >= 42 ? 1 : 0;
  }
  // A sample inside the vdso, which keeps no frame pointer, may lose one frame but not the chain.
  BOOST_TEST(whole * 100 >= recording.samples.size() * 95);
}

BOOST_AUTO_TEST_CASE(a_stack_deeper_than_the_limit_keeps_its_leaf_side_and_says_so) {
  const test::Child burner({"deep", "3000", "20"});
  std::this_thread::sleep_for(100ms);
  const Recording recording = record(static_cast<std::uint32_t>(burner.pid()), 499, 300ms);
  BOOST_REQUIRE(!recording.samples.empty());
  const auto full = std::ranges::count_if(recording.samples, [](const Sample& sample) {
    return sample.user_end == StackEnd::depth && sample.user_stack.size() == 1024;
  });
  BOOST_TEST(static_cast<std::size_t>(full) * 100 >= recording.samples.size() * 95);
}

BOOST_AUTO_TEST_CASE(children_of_a_target_join_it) {
  // The shell lives on beside two children that it starts after sampling has begun.
  const std::string shares = std::string(PILOTLIGHT_BIN_DIR) + "/shares";
  const test::Child shell({"/bin/sh", "-c", "sleep 0.4; " + shares + " 0.5; " + shares + " 0.5"});
  const Recording recording = record(static_cast<std::uint32_t>(shell.pid()), 499, 1600ms);
  const auto of_children = std::ranges::count_if(
      recording.samples, [](const Sample& sample) { return sample.process_name == "shares"; });
  BOOST_TEST(of_children > 100);
  // Also what has ended by now is in the CPU time that the samples are held against.
  BOOST_TEST(recording.tally.expected * 2 > recording.samples.size());
}

BOOST_AUTO_TEST_CASE(a_process_that_does_not_exist_is_no_target) {
  ArmWord word = ArmWord::create().value();
  const UniqueFd reader = word.read_only_fd().value();
  Sampler sampler =
      Sampler::create({.arm_word_fd = reader.get(), .frequency = 99, .only_targets = true}).value();
  BOOST_TEST(!sampler.add_target(999'999'999).has_value());
}

BOOST_AUTO_TEST_CASE(the_feed_tells_of_exec_and_its_mappings_with_build_ids) {
  ArmWord word = ArmWord::create().value();
  const UniqueFd reader = word.read_only_fd().value();
  Sampler sampler = Sampler::create({.arm_word_fd = reader.get(), .frequency = 99}).value();
  test::Child child({"/bin/true"});
  const auto pid = static_cast<std::uint32_t>(child.pid());
  BOOST_TEST(child.exit_code(10s) == 0);
  bool executed = false;
  bool mapped = false;
  bool exited = false;
  for (const ProcessEvent& event : sampler.collect().events) {
    if (const auto* exec = std::get_if<ProcessExecuted>(&event.what)) executed |= exec->pid == pid;
    if (const auto* exit = std::get_if<ProcessExited>(&event.what)) exited |= exit->pid == pid;
    if (const auto* map = std::get_if<MemoryMapped>(&event.what))
      mapped |= map->pid == pid && map->region.file->path.ends_with("/true") &&
                map->region.file->build_id.size() == 40;
  }
  BOOST_TEST(executed);
  BOOST_TEST(mapped);
  BOOST_TEST(exited);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
