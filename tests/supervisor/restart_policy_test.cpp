// SPDX-License-Identifier: Apache-2.0
#include "supervisor/restart_policy.h"

#include <boost/test/unit_test.hpp>

namespace pilotlight {

namespace {

using namespace std::chrono_literals;
using TimePoint = RestartPolicy::TimePoint;

constexpr TimePoint boot{};

double seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

BOOST_AUTO_TEST_SUITE(restart_policy)

BOOST_AUTO_TEST_CASE(the_first_worker_need_not_wait) {
  const RestartPolicy policy;
  BOOST_TEST((policy.restart_at() <= boot));
  BOOST_TEST(!policy.tripped());
}

BOOST_AUTO_TEST_CASE(waits_double_from_one_second_to_five_minutes) {
  RestartPolicy policy;
  TimePoint now = boot + 1h;
  for (const double expected : {1., 2., 4., 8., 16., 32., 64., 128., 256., 300., 300., 300.}) {
    // Far enough apart not to trip, too short-lived to be healthy.
    const TimePoint died = now + 9min;
    policy.record_crash(now, died, 0);
    BOOST_TEST(seconds(policy.restart_at() - died) == expected, boost::test_tools::tolerance(1e-9));
    now = policy.restart_at();
  }
  BOOST_TEST(!policy.tripped());
}

BOOST_AUTO_TEST_CASE(the_wait_varies_by_a_tenth) {
  for (const double jitter : {-1., -0.5, 0., 0.5, 1.}) {
    RestartPolicy policy;
    policy.record_crash(boot, boot + 1s, jitter);
    BOOST_TEST(seconds(policy.restart_at() - (boot + 1s)) == 1 + 0.1 * jitter,
               boost::test_tools::tolerance(1e-9));
  }
}

BOOST_AUTO_TEST_CASE(jitter_beyond_its_range_is_cut) {
  RestartPolicy policy;
  policy.record_crash(boot, boot + 1s, -1000);
  BOOST_TEST(seconds(policy.restart_at() - (boot + 1s)) == 0.9, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(ten_minutes_of_health_begin_anew) {
  RestartPolicy policy;
  policy.record_crash(boot, boot + 9min, 0);
  policy.record_crash(boot + 10min, boot + 19min, 0);
  policy.record_crash(boot + 20min, boot + 30min, 0);
  BOOST_TEST(seconds(policy.restart_at() - (boot + 30min)) == 1., boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_healthy_life_just_too_short_goes_on_doubling) {
  RestartPolicy policy;
  policy.record_crash(boot, boot + 1s, 0);
  policy.record_crash(boot + 1min, boot + 11min - 1ns, 0);
  BOOST_TEST(seconds(policy.restart_at() - (boot + 11min - 1ns)) == 2., boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(the_fifth_death_in_ten_minutes_trips) {
  RestartPolicy policy;
  for (int i = 0; i < 5; ++i) {
    BOOST_TEST(!policy.tripped());
    policy.record_crash(boot + i * 150s, boot + i * 150s, 0);
  }
  BOOST_TEST(policy.tripped());
}

BOOST_AUTO_TEST_CASE(five_deaths_in_more_than_ten_minutes_do_not_trip) {
  RestartPolicy policy;
  for (int i = 0; i < 50; ++i) {
    policy.record_crash(boot + i * 151s, boot + i * 151s, 0);
    BOOST_TEST(!policy.tripped());
  }
}

BOOST_AUTO_TEST_CASE(old_deaths_do_not_count_towards_a_trip) {
  RestartPolicy policy;
  for (int i = 0; i < 4; ++i) policy.record_crash(boot, boot + i * 1s, 0);
  policy.record_crash(boot + 1h, boot + 1h, 0);
  BOOST_TEST(!policy.tripped());
}

BOOST_AUTO_TEST_CASE(tripped_stays_tripped) {
  RestartPolicy policy;
  for (int i = 0; i < 5; ++i) policy.record_crash(boot, boot + i * 1s, 0);
  policy.record_crash(boot, boot + 24h, 0);
  BOOST_TEST(policy.tripped());
}

BOOST_AUTO_TEST_CASE(a_start_that_fails_waits_longer_each_time_and_never_trips) {
  RestartPolicy policy;
  TimePoint now = boot;
  double last = 0;
  for (int i = 0; i < 100; ++i) {
    policy.record_failed_start(now, 0);
    const double wait = seconds(policy.restart_at() - now);
    BOOST_TEST((wait > last || wait == 300.));
    last = wait;
    now = policy.restart_at();
  }
  BOOST_TEST(!policy.tripped());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
