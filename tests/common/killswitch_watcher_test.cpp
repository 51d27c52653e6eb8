// SPDX-License-Identifier: Apache-2.0
#include "common/killswitch_watcher.h"

#include <poll.h>
#include <sys/mount.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>

#include "common/clock.h"
#include "tests/support/private_etc.h"
#include "tests/support/temporary_directory.h"

namespace pilotlight {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

struct EmptyDirectory {
  EmptyDirectory() {
    ::umount2(killswitch_directory, MNT_DETACH);
    fs::remove_all(killswitch_directory);
    fs::create_directory(killswitch_directory);
  }
};

/// The first report within the limit that fulfils the condition.
std::optional<SwitchReport> wait_for(KillswitchWatcher& watcher, std::chrono::milliseconds limit,
                                     const std::function<bool(const SwitchReport&)>& condition) {
  const auto deadline = MonotonicClock::now() + limit;
  while (MonotonicClock::now() < deadline) {
    pollfd wait{.fd = watcher.fd(), .events = POLLIN, .revents = 0};
    ::poll(&wait, 1, 100);
    for (auto received = watcher.receive(); received.report; received = watcher.receive())
      if (condition(*received.report)) return received.report;
  }
  return std::nullopt;
}

bool engaged(const SwitchReport& report) { return report.engaged(); }
bool released(const SwitchReport& report) { return !report.engaged(); }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(killswitch_watcher, EmptyDirectory)

BOOST_AUTO_TEST_CASE(it_reports_without_being_asked) {
  auto watcher = KillswitchWatcher::start(KillswitchWatcher::Directory::must_stay).value();
  for (int i = 0; i < 3; ++i) BOOST_CHECK(wait_for(watcher, 5s, released));
}

BOOST_AUTO_TEST_CASE(it_tells_of_engagement_with_the_reason_and_of_release) {
  auto watcher = KillswitchWatcher::start(KillswitchWatcher::Directory::must_stay).value();
  BOOST_REQUIRE(wait_for(watcher, 5s, released));
  test::engage_killswitch("for a reason");
  BOOST_CHECK(wait_for(watcher, 5s, engaged));
  BOOST_CHECK(
      wait_for(watcher, 5s, [](const auto& report) { return report.reason_text() == "for a reason"; }));
  test::release_killswitch();
  BOOST_CHECK(wait_for(watcher, 5s, released));
}

BOOST_AUTO_TEST_CASE(a_reason_that_is_written_after_the_file_was_made_arrives_too) {
  auto watcher = KillswitchWatcher::start(KillswitchWatcher::Directory::must_stay).value();
  BOOST_REQUIRE(wait_for(watcher, 5s, released));
  test::engage_killswitch();
  BOOST_REQUIRE(wait_for(watcher, 5s, engaged));
  test::engage_killswitch("late");
  BOOST_CHECK(wait_for(watcher, 5s, [](const auto& report) { return report.reason_text() == "late"; }));
}

BOOST_AUTO_TEST_CASE(a_pulse_is_seen) {
  auto watcher = KillswitchWatcher::start(KillswitchWatcher::Directory::must_stay).value();
  BOOST_REQUIRE(wait_for(watcher, 5s, released));
  for (int i = 0; i < 20; ++i) {
    test::write_file(killswitch_path, "");
    fs::remove(killswitch_path);
    BOOST_CHECK(wait_for(watcher, 5s, engaged));
    BOOST_CHECK(wait_for(watcher, 5s, released));
  }
}

BOOST_AUTO_TEST_CASE(a_mount_over_the_directory_is_seen) {
  auto watcher = KillswitchWatcher::start(KillswitchWatcher::Directory::must_stay).value();
  BOOST_REQUIRE(wait_for(watcher, 5s, released));
  BOOST_REQUIRE_EQUAL(::mount("tmpfs", killswitch_directory, "tmpfs", 0, nullptr), 0);
  BOOST_CHECK(wait_for(watcher, 5s, engaged));
  ::umount(killswitch_directory);
  BOOST_CHECK(wait_for(watcher, 5s, released));
}

BOOST_AUTO_TEST_CASE(it_makes_the_directory_of_a_service) {
  fs::remove(killswitch_directory);
  auto watcher = KillswitchWatcher::start(KillswitchWatcher::Directory::must_stay).value();
  BOOST_CHECK(wait_for(watcher, 5s, released));
  BOOST_TEST(fs::is_directory(killswitch_directory));
}

BOOST_AUTO_TEST_CASE(by_hand_a_missing_directory_is_released_and_is_not_made) {
  fs::remove(killswitch_directory);
  auto watcher = KillswitchWatcher::start(KillswitchWatcher::Directory::may_be_missing).value();
  BOOST_CHECK(wait_for(watcher, 5s, released));
  BOOST_TEST(!fs::exists(killswitch_directory));
  test::engage_killswitch();  // with its directory
  BOOST_CHECK(wait_for(watcher, 5s, engaged));
}

BOOST_AUTO_TEST_CASE(asked_it_looks_at_once) {
  auto watcher = KillswitchWatcher::start(KillswitchWatcher::Directory::must_stay).value();
  BOOST_REQUIRE(wait_for(watcher, 5s, released));
  const std::uint64_t asked = to_nanoseconds(MonotonicClock::now());
  watcher.request_check();
  const auto report =
      wait_for(watcher, 5s, [&](const auto& answer) { return answer.checked_at_ns >= asked; });
  BOOST_CHECK(report);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
