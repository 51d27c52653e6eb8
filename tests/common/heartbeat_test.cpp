// SPDX-License-Identifier: Apache-2.0
#include "common/heartbeat.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

namespace pilotlight {

BOOST_AUTO_TEST_SUITE(heartbeat)

BOOST_AUTO_TEST_CASE(beats_of_another_process_are_counted) {
  const auto owner = Heartbeat::create().value();
  BOOST_TEST(owner.count() == 0U);
  const pid_t pid = ::fork();
  if (pid == 0) {
    auto worker = Heartbeat::open(UniqueFd(::fcntl(owner.fd(), F_DUPFD_CLOEXEC, 3)));
    for (int i = 0; i < 5; ++i) worker->beat();
    ::_exit(0);
  }
  ::waitpid(pid, nullptr, 0);
  BOOST_TEST(owner.count() == 5U);
}

BOOST_AUTO_TEST_CASE(the_worker_cannot_take_the_memory_away_from_its_owner) {
  const auto owner = Heartbeat::create().value();
  BOOST_TEST(::ftruncate(owner.fd(), 0) == -1);
  BOOST_TEST(owner.count() == 0U);
}

BOOST_AUTO_TEST_CASE(something_else_is_refused) {
  BOOST_TEST(!Heartbeat::open(UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC))).has_value());
  BOOST_TEST(!Heartbeat::open(UniqueFd()).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
