// SPDX-License-Identifier: Apache-2.0
#include "common/worker_contract.h"

#include <sys/socket.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <string>

#include "common/unique_handle.h"

namespace pilotlight {

namespace {

struct Pair {
  Pair() {
    std::array<int, 2> ends{};
    BOOST_REQUIRE_EQUAL(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    runner.reset(ends[0]);
    worker.reset(ends[1]);
  }
  UniqueFd runner;
  UniqueFd worker;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(worker_contract, Pair)

BOOST_AUTO_TEST_CASE(readiness_carries_the_programs) {
  BOOST_TEST(!receive_ready(runner.get()).has_value());
  WorkerReady ready;
  ready.program_count = 2;
  ready.program_ids = {7, 9};
  BOOST_REQUIRE(send_ready(worker.get(), ready));
  const auto received = receive_ready(runner.get());
  BOOST_REQUIRE(received);
  BOOST_TEST(received->program_count == 2U);
  BOOST_TEST(received->program_ids[1] == 9U);
}

BOOST_AUTO_TEST_CASE(nonsense_is_no_readiness) {
  const std::string nonsense = "ready";
  BOOST_REQUIRE(::send(worker.get(), nonsense.data(), nonsense.size(), 0) > 0);
  BOOST_TEST(!receive_ready(runner.get()).has_value());
  WorkerReady lying;
  lying.program_count = 1000;
  BOOST_REQUIRE(send_ready(worker.get(), lying));
  BOOST_TEST(!receive_ready(runner.get()).has_value());
}

BOOST_AUTO_TEST_CASE(orders_arrive_in_their_order_and_the_end_is_seen) {
  BOOST_TEST(!receive_control(worker.get()).ended);
  BOOST_TEST(send_control(runner.get(), ControlMessage::armed));
  BOOST_TEST(send_control(runner.get(), ControlMessage::halt));
  BOOST_CHECK(receive_control(worker.get()).message == ControlMessage::armed);
  BOOST_CHECK(receive_control(worker.get()).message == ControlMessage::halt);
  runner.reset();
  BOOST_TEST(receive_control(worker.get()).ended);
}

BOOST_AUTO_TEST_CASE(a_worker_that_does_not_read_never_blocks_its_runner) {
  int sent = 0;
  while (sent < 1'000'000 && send_control(runner.get(), ControlMessage::armed)) ++sent;
  BOOST_TEST(sent < 1'000'000);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
