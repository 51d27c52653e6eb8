// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/module_cache.h"

#include <boost/test/unit_test.hpp>

using namespace pilotlight;

namespace {

std::shared_ptr<const Module> a_module() {
  return std::make_shared<const Module>(*ElfFile::open("/lib/x86_64-linux-gnu/libm.so.6"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(module_cache)

BOOST_AUTO_TEST_CASE(finds_what_was_inserted) {
  ModuleCache cache(1 << 30);
  const auto module = a_module();
  cache.insert("a", module);
  BOOST_TEST(cache.find("a") == module);
  BOOST_TEST(cache.find("b") == nullptr);
  BOOST_TEST(cache.bytes() == module->bytes());
  cache.insert("a", a_module());
  BOOST_TEST(cache.size() == 1U);
  BOOST_TEST(cache.bytes() == module->bytes());
}

BOOST_AUTO_TEST_CASE(the_least_recently_used_goes_when_the_budget_is_spent) {
  const std::size_t one = a_module()->bytes();
  ModuleCache cache(one * 5 / 2);
  cache.insert("a", a_module());
  cache.insert("b", a_module());
  const auto kept = cache.find("a");
  cache.insert("c", a_module());
  BOOST_TEST(cache.find("b") == nullptr);
  BOOST_TEST(cache.find("a") == kept);
  BOOST_TEST(cache.find("c") != nullptr);
  BOOST_TEST(cache.bytes() == 2 * one);
}

BOOST_AUTO_TEST_CASE(a_module_larger_than_the_budget_stays_until_the_next) {
  ModuleCache cache(1);
  const auto large = a_module();
  cache.insert("large", large);
  BOOST_TEST(cache.find("large") == large);
  cache.insert("next", a_module());
  BOOST_TEST(cache.find("large") == nullptr);
  BOOST_TEST(cache.size() == 1U);
  BOOST_TEST((large->bytes() > 0));  // still valid for its holder
}

BOOST_AUTO_TEST_SUITE_END()
