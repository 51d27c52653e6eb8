// SPDX-License-Identifier: Apache-2.0
//
// A filesystem that hangs under the switch: whoever asks it sleeps, and not even SIGKILL wakes the sleeper.
#include <fcntl.h>
#include <linux/fuse.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include "common/killswitch.h"
#include "common/unique_handle.h"
#include "tests/support/private_etc.h"
#include "tests/support/requires.h"
#include "tests/system/supervisor_fixture.h"

namespace pilotlight::test {

namespace {

/// A FUSE filesystem over the switch's directory that takes every request and answers none.
class HungFilesystem {
 public:
  HungFilesystem() : device_(::open("/dev/fuse", O_RDWR | O_CLOEXEC)) {
    BOOST_REQUIRE(device_);
    const std::string options =
        "fd=" + std::to_string(device_.get()) + ",rootmode=40755,user_id=0,group_id=0";
    BOOST_REQUIRE(::mount("hung", killswitch_directory, "fuse.hung", MS_NOSUID | MS_NODEV, options.c_str()) ==
                  0);
    server_ = std::jthread([fd = device_.get()] { serve(fd); });
  }

  /// Aborts the connection, which fails every request and wakes every sleeper, and uncovers the directory.
  ~HungFilesystem() {
    ::umount2(killswitch_directory, MNT_FORCE);
    ::umount2(killswitch_directory, MNT_DETACH);
    server_.join();
  }
  HungFilesystem(const HungFilesystem&) = delete;
  HungFilesystem& operator=(const HungFilesystem&) = delete;

 private:
  /// Requests are sent only after the first, FUSE_INIT, has its answer.
  static void serve(int fd) {
    std::array<char, FUSE_MIN_READ_BUFFER + 4096> request;
    while (::read(fd, request.data(), request.size()) > 0) {
      fuse_in_header header{};
      std::memcpy(&header, request.data(), sizeof header);
      if (header.opcode != FUSE_INIT) continue;
      fuse_init_out body{};
      body.major = FUSE_KERNEL_VERSION;
      body.minor = FUSE_KERNEL_MINOR_VERSION;
      body.max_write = 4096;
      const fuse_out_header head{
          .len = sizeof(fuse_out_header) + sizeof body, .error = 0, .unique = header.unique};
      std::array<char, sizeof head + sizeof body> answer;
      std::memcpy(answer.data(), &head, sizeof head);
      std::memcpy(answer.data() + sizeof head, &body, sizeof body);
      [[maybe_unused]] const ssize_t written = ::write(fd, answer.data(), answer.size());
    }
  }

  UniqueFd device_;
  std::jthread server_;
};

/// A precondition: the machine has FUSE.
struct NeedsFuse {
  boost::test_tools::assertion_result operator()(boost::unit_test::test_unit_id) const {
    boost::test_tools::assertion_result result(::access("/dev/fuse", R_OK | W_OK) == 0);
    result.message() << "needs /dev/fuse";
    return result;
  }
};

}  // namespace

BOOST_TEST_GLOBAL_FIXTURE(PrivateEtc);

BOOST_AUTO_TEST_SUITE(supervisor_hung_filesystem, *boost::unit_test::precondition(NeedsRoot()) *
                                                      boost::unit_test::precondition(NeedsFuse()))

BOOST_AUTO_TEST_CASE(the_worker_dies_and_the_supervisor_goes_on) {
  const Supervised supervised;
  const pid_t worker = supervised.armed_worker();
  BOOST_REQUIRE(worker != 0);
  const pid_t watcher = supervised.watcher();
  const ArmWordView word(worker);
  {
    const HungFilesystem hung;
    BOOST_TEST(dies(worker));
    BOOST_TEST(word.value() == 0U);
    BOOST_TEST(supervised.log_says("silent"));
    std::this_thread::sleep_for(std::chrono::seconds(3));
    // The watcher was killed, but sleeps; another would only join it.
    BOOST_TEST(process_state(watcher) == 'D');
    BOOST_TEST(children_of(supervised.pid()).size() == 1U);
    BOOST_TEST(process_state(supervised.pid()) == 'S');
  }
  BOOST_TEST(dies(watcher));
  BOOST_TEST(supervised.armed_worker(worker) != 0);
}

BOOST_AUTO_TEST_CASE(the_supervisor_can_be_ended_meanwhile) {
  Supervised supervised;
  const pid_t worker = supervised.armed_worker();
  BOOST_REQUIRE(worker != 0);
  const HungFilesystem hung;
  BOOST_REQUIRE(supervised.log_says("silent"));
  supervised.signal(SIGTERM);
  BOOST_TEST(supervised.child().exit_code(patience) == 0);
  BOOST_TEST(!is_alive(worker));
}

BOOST_AUTO_TEST_CASE(a_supervisor_that_is_killed_meanwhile_leaves_no_worker) {
  Supervised supervised;
  const pid_t worker = supervised.armed_worker();
  BOOST_REQUIRE(worker != 0);
  const HungFilesystem hung;
  supervised.signal(SIGKILL);
  BOOST_TEST(supervised.child().exit_code(patience) == -SIGKILL);
  BOOST_TEST(dies(worker));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight::test
