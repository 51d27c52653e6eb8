// SPDX-License-Identifier: Apache-2.0
#include "supervisor/worker_cgroup.h"

#include <boost/test/unit_test.hpp>
#include <string>

namespace pilotlight {

namespace {

constexpr std::string_view unified_mount =
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
    "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

constexpr std::string_view hybrid_mounts =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

std::string directory(std::string_view mounts, std::string_view membership) {
  return cgroup_directory(mounts, membership).value_or("none");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(worker_cgroup)

BOOST_AUTO_TEST_CASE(a_unified_layout_is_found) {
  BOOST_TEST(directory(unified_mount, "0::/system.slice/pilotlightd.service\n") ==
             "/sys/fs/cgroup/system.slice/pilotlightd.service");
  BOOST_TEST(directory(unified_mount, "0::/\n") == "/sys/fs/cgroup");
}

BOOST_AUTO_TEST_CASE(a_hybrid_layout_is_found) {
  BOOST_TEST(directory(hybrid_mounts, "4:memory:/some/where\n1:name=systemd:/x\n0::/y\n") ==
             "/sys/fs/cgroup/unified/y");
}

BOOST_AUTO_TEST_CASE(a_mount_of_a_part_shows_only_that_part) {
  constexpr std::string_view part = "40 30 0:38 /pod/ctr /sys/fs/cgroup rw - cgroup2 cgroup rw\n";
  BOOST_TEST(directory(part, "0::/pod/ctr/inner\n") == "/sys/fs/cgroup/inner");
  BOOST_TEST(directory(part, "0::/pod/ctr\n") == "/sys/fs/cgroup");
  BOOST_TEST(directory(part, "0::/pod/ctr2\n") == "none");
  BOOST_TEST(directory(part, "0::/other\n") == "none");
}

BOOST_AUTO_TEST_CASE(escapes_in_the_mount_table_are_undone) {
  BOOST_TEST(directory("40 30 0:38 / /sys/my\\040cgroups\\134x rw - cgroup2 none rw\n", "0::/a\n") ==
             "/sys/my cgroups\\x/a");
  BOOST_TEST(directory("40 30 0:38 / /sys/odd\\04 rw - cgroup2 none rw\n", "0::/a\n") == "/sys/odd\\04/a");
}

BOOST_AUTO_TEST_CASE(without_version_two_there_is_none) {
  BOOST_TEST(directory("35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", "4:memory:/\n") ==
             "none");
  BOOST_TEST(directory(unified_mount, "4:memory:/\n") == "none");
  BOOST_TEST(directory("", "") == "none");
}

BOOST_AUTO_TEST_CASE(a_group_outside_the_namespace_is_not_used) {
  // A process moved in from outside its cgroup namespace sees this.
  BOOST_TEST(directory(unified_mount, "0::/../other\n") == "none");
}

BOOST_AUTO_TEST_CASE(a_damaged_mount_table_is_not_used) {
  BOOST_TEST(directory("31 23 - cgroup2 cgroup2 rw\n", "0::/\n") == "none");
  BOOST_TEST(directory(" - cgroup2 \n - cgroup2", "0::/\n") == "none");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
