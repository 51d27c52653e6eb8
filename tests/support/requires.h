// SPDX-License-Identifier: Apache-2.0
//
// Preconditions of test cases: `*boost::unit_test::precondition(needs_root())`. A case whose machine lacks
// something is skipped, and ctest's output says why.
#pragma once

#include <boost/test/tools/assertion_result.hpp>
#include <boost/test/tree/test_unit.hpp>
#include <string>

namespace pilotlight::test {

/// A precondition that holds for root only.
struct NeedsRoot {
  boost::test_tools::assertion_result operator()(boost::unit_test::test_unit_id) const;
};

/// A precondition that holds if a program is on PATH.
struct NeedsProgram {
  std::string name;
  boost::test_tools::assertion_result operator()(boost::unit_test::test_unit_id) const;
};

/// Absolute path of a program on PATH (/usr/sbin included); empty if there is none.
std::string find_program(const std::string& name);

}  // namespace pilotlight::test
