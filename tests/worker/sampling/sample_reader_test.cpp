// SPDX-License-Identifier: Apache-2.0
#include "worker/sampling/sample_reader.h"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <vector>

#include "bpf/records.h"

namespace pilotlight {

namespace {

std::vector<std::byte> record_of(const pilotlight_sample& header,
                                 const std::vector<std::uint64_t>& addresses) {
  std::vector<std::byte> bytes(sizeof header + addresses.size() * sizeof addresses[0]);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, addresses.data(), addresses.size() * sizeof addresses[0]);
  return bytes;
}

pilotlight_sample header_with(std::uint16_t kernel_frames, std::uint16_t user_frames) {
  pilotlight_sample header{};
  header.time_ns = 5;
  header.process_start_ns = 7;
  header.pid = 11;
  header.tid = 12;
  header.cpu = 1;
  header.kernel_frames = kernel_frames;
  header.user_frames = user_frames;
  header.user_end = PILOTLIGHT_END_DEPTH;
  std::memcpy(header.thread_name, "a name as long a", sizeof header.thread_name);
  std::memcpy(header.process_name, "short", 6);
  return header;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sample_reader)

BOOST_AUTO_TEST_CASE(every_field_is_carried_over) {
  const auto sample = read_sample(record_of(header_with(2, 3), {1, 2, 3, 4, 5}));
  BOOST_REQUIRE(sample);
  BOOST_TEST(sample->time_ns == 5U);
  BOOST_CHECK((sample->process == ProcessId{.pid = 11, .start_ns = 7}));
  BOOST_TEST(sample->thread_id == 12U);
  BOOST_TEST(sample->cpu == 1U);
  BOOST_TEST(sample->thread_name ==
             "a name as long a");  // sixteen bytes and no zero: nothing is read past them
  BOOST_TEST(sample->process_name == "short");
  BOOST_CHECK(sample->user_end == StackEnd::depth);
  BOOST_TEST(sample->kernel_stack == (std::vector<std::uint64_t>{1, 2}));
  BOOST_TEST(sample->user_stack == (std::vector<std::uint64_t>{3, 4, 5}));
}

BOOST_AUTO_TEST_CASE(figures_that_do_not_fit_the_length_are_refused) {
  BOOST_CHECK(!read_sample(record_of(header_with(2, 3), {1, 2, 3, 4})));
  BOOST_CHECK(!read_sample(record_of(header_with(0, 0), {1})));
  BOOST_CHECK(!read_sample(record_of(header_with(65535, 65535), {1, 2})));
  const auto whole = record_of(header_with(0, 0), {});
  for (std::size_t length = 0; length < whole.size(); ++length)
    BOOST_CHECK(!read_sample(std::span(whole).first(length)));
  BOOST_CHECK(read_sample(whole));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
