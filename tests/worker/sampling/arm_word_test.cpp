// SPDX-License-Identifier: Apache-2.0
// The arm word against real BPF programs: what each value of it lets them do.
#include "common/arm_word.h"

#include <linux/bpf.h>
#include <sys/syscall.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstring>
#include <thread>

#include "common/clock.h"
#include "tests/support/requires.h"
#include "worker/sampling/sampler.h"

namespace pilotlight {

namespace {

using namespace std::chrono_literals;
using test::NeedsRoot;

/// Writes any value, as no owner would.
void store_raw(int map, std::uint64_t value) {
  const std::uint32_t key = 0;
  bpf_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.map_fd = static_cast<std::uint32_t>(map);
  attributes.key = reinterpret_cast<std::uint64_t>(&key);
  attributes.value = reinterpret_cast<std::uint64_t>(&value);
  BOOST_REQUIRE_EQUAL(::syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &attributes, sizeof attributes), 0);
}

/// A writable map of the arm word's shape.
UniqueFd raw_arm_word() {
  bpf_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.map_type = BPF_MAP_TYPE_ARRAY;
  attributes.key_size = 4;
  attributes.value_size = 8;
  attributes.max_entries = 1;
  attributes.map_flags = BPF_F_RDONLY_PROG;
  return UniqueFd(static_cast<int>(::syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes)));
}

/// A sampler of the whole machine on this word, and a thread that keeps a CPU busy.
class Sampling {
 public:
  explicit Sampling(int arm_word_fd)
      : sampler_(Sampler::create({.arm_word_fd = arm_word_fd, .frequency = 999}).value()),
        burner_([](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
          }
        }) {
    BOOST_REQUIRE(sampler_.begin());
  }

  /// Ticks that did anything at all in the next 100 ms.
  std::uint64_t ticks() {
    static_cast<void>(sampler_.take_tally());
    std::this_thread::sleep_for(100ms);
    return sampler_.take_tally().value().busy_ticks;
  }

 private:
  Sampler sampler_;
  std::jthread burner_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(arm_word, *boost::unit_test::precondition(NeedsRoot()))

BOOST_AUTO_TEST_CASE(nothing_runs_until_it_is_granted_and_nothing_after_it_is_disarmed) {
  ArmWord word = ArmWord::create().value();
  const UniqueFd reader = word.read_only_fd().value();
  Sampling sampling(reader.get());
  BOOST_TEST(sampling.ticks() == 0U);
  BOOST_REQUIRE(word.grant());
  BOOST_TEST(sampling.ticks() > 0U);
  BOOST_TEST(word.disarm());
  BOOST_TEST(sampling.ticks() == 0U);
  BOOST_TEST(!word.renew());  // a disarmed word is not renewed, it is granted anew
  BOOST_TEST(sampling.ticks() == 0U);
}

BOOST_AUTO_TEST_CASE(a_lease_that_nobody_renews_runs_out) {
  ArmWord word = ArmWord::create().value();
  const UniqueFd reader = word.read_only_fd().value();
  Sampling sampling(reader.get());
  BOOST_REQUIRE(word.grant());
  BOOST_TEST(sampling.ticks() > 0U);
  std::this_thread::sleep_for(lease_length);
  BOOST_TEST(sampling.ticks() == 0U);
  BOOST_TEST(!word.renew());  // its owner slept past it
  BOOST_TEST(sampling.ticks() == 0U);
}

BOOST_AUTO_TEST_CASE(only_times_ahead_within_the_longest_lease_are_believed) {
  const UniqueFd word = raw_arm_word();
  Sampling sampling(word.get());
  const auto in = [](std::chrono::nanoseconds time) { return to_nanoseconds(MonotonicClock::now() + time); };
  store_raw(word.get(), in(1s));
  BOOST_TEST(sampling.ticks() > 0U);
  for (const std::uint64_t value :
       {in(-1s), in(longest_believed_lease + 1s), in(24h), UINT64_MAX, std::uint64_t{1}}) {
    store_raw(word.get(), value);
    BOOST_TEST(sampling.ticks() == 0U, "armed by " << value);
  }
}

BOOST_AUTO_TEST_CASE(the_descriptor_of_the_worker_cannot_write) {
  ArmWord word = ArmWord::create().value();
  const UniqueFd reader = word.read_only_fd().value();
  BOOST_TEST(verify_arm_word(reader.get()).has_value());
  BOOST_REQUIRE(word.grant());
  BOOST_TEST(read_arm_word(reader.get()).value() > to_nanoseconds(MonotonicClock::now()));
  const UniqueFd writable = raw_arm_word();
  BOOST_TEST(!verify_arm_word(writable.get()).has_value());
  BOOST_TEST(!verify_arm_word(0).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
