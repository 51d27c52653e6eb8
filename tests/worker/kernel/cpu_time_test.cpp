// SPDX-License-Identifier: Apache-2.0
#include "worker/kernel/cpu_time.h"

#include <sys/resource.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

namespace pilotlight {

namespace {

using namespace std::chrono_literals;

void burn(std::chrono::milliseconds cpu_time) {
  rusage usage{};
  const auto used = [&] {
    ::getrusage(RUSAGE_SELF, &usage);
    return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  const auto until = used() + cpu_time;
  while (used() < until) {
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cpu_time)

BOOST_AUTO_TEST_CASE(the_first_line_of_proc_stat_is_taken_apart) {
  // user nice system idle iowait irq softirq steal guest guest_nice, in hundredths of a second
  const auto time = parse_machine_cpu_time("cpu  100 20 3 4000 500 6 7 80 9 10\ncpu0 1 2 3\n");
  BOOST_REQUIRE(time);
  BOOST_CHECK(time->idle == 45s);
  BOOST_CHECK(time->stolen == 800ms);
  BOOST_CHECK(time->busy == 1360ms);
}

BOOST_AUTO_TEST_CASE(anything_else_gives_nothing) {
  for (const char* text : {"", "cpu", "cpu0 1 2 3 4 5 6 7 8", "cpu  1 2 3", "cpu  a b c d e f g h", "intr 1"})
    BOOST_CHECK(!parse_machine_cpu_time(text));
}

BOOST_AUTO_TEST_CASE(burning_shows_in_the_figures_of_process_and_machine) {
  const auto pid = static_cast<unsigned>(::getpid());
  const auto process_before = process_cpu_time(pid);
  const auto machine_before = machine_cpu_time().value();
  burn(300ms);
  BOOST_CHECK(process_cpu_time(pid) - process_before >= 250ms);
  BOOST_CHECK(machine_cpu_time().value().busy - machine_before.busy >= 150ms);
}

BOOST_AUTO_TEST_CASE(a_process_that_is_gone_has_none) { BOOST_CHECK(process_cpu_time(999'999'999) == 0s); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
