// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pilotlight::test {

/// From its construction on, this process and its children live in a mount namespace of their own, where /etc
/// is a copy: the killswitch's hardcoded path is used as it is, and the machine's own switch is neither seen
/// nor touched. /run is an empty tmpfs there too, so that a test's supervisor has its own lock. There is no
/// way back: meant as a Boost.Test global fixture (BOOST_TEST_GLOBAL_FIXTURE), which runs before any thread.
/// Needs root.
class PrivateEtc {
 public:
  PrivateEtc();
};

/// Touches the killswitch, with its directory made where missing.
void engage_killswitch(const std::string& reason = {});

/// Removes whatever lies at the killswitch's path.
void release_killswitch();

}  // namespace pilotlight::test
