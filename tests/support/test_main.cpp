// SPDX-License-Identifier: Apache-2.0
// The entry of every test executable; Boost.Test is linked, not included (a fifteenth of the compile time).
#define BOOST_TEST_MODULE pilotlight
#include <boost/test/unit_test.hpp>
