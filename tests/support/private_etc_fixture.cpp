// SPDX-License-Identifier: Apache-2.0
// Linked into a test executable, gives it an /etc of its own.
#include <boost/test/unit_test.hpp>

#include "tests/support/private_etc.h"

using pilotlight::test::PrivateEtc;
BOOST_TEST_GLOBAL_FIXTURE(PrivateEtc);
