// SPDX-License-Identifier: Apache-2.0
#include "tests/support/private_etc.h"

#include <boost/test/unit_test.hpp>

using pilotlight::test::PrivateEtc;
BOOST_TEST_GLOBAL_FIXTURE(PrivateEtc);
