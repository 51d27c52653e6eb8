// SPDX-License-Identifier: Apache-2.0
#include "tests/support/requires.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace pilotlight::test {

boost::test_tools::assertion_result NeedsRoot::operator()(boost::unit_test::test_unit_id) const {
  boost::test_tools::assertion_result result(::geteuid() == 0);
  result.message() << "needs root";
  return result;
}

boost::test_tools::assertion_result NeedsProgram::operator()(boost::unit_test::test_unit_id) const {
  boost::test_tools::assertion_result result(!find_program(name).empty());
  result.message() << "needs the program " << name;
  return result;
}

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(std::string(path == nullptr ? "/usr/bin:/bin" : path) +
                             ":/usr/local/bin:/usr/sbin:/sbin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
  return {};
}

}  // namespace pilotlight::test
