// SPDX-License-Identifier: Apache-2.0
#include "worker/sampling/batch.h"

#include <boost/test/unit_test.hpp>
#include <string>

namespace pilotlight {

BOOST_AUTO_TEST_SUITE(batch)

BOOST_AUTO_TEST_CASE(events_and_samples_come_in_the_order_of_time_and_an_event_first) {
  Batch batch;
  for (const std::uint64_t time : {30, 10, 20}) {
    Sample sample;
    sample.time_ns = time;
    batch.samples.push_back(sample);
  }
  for (const std::uint64_t time : {40, 20, 5})
    batch.events.push_back({.time_ns = time, .what = ProcessExited{1}});
  std::string order;
  replay(
      batch, [&](const ProcessEvent& event) { order += "e" + std::to_string(event.time_ns) + " "; },
      [&](const Sample& sample) { order += "s" + std::to_string(sample.time_ns) + " "; });
  BOOST_TEST(order == "e5 s10 e20 s20 s30 e40 ");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
