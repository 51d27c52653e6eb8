// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/demangle.h"

#include <pthread.h>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <random>

#include "common/clock.h"
#include "tests/support/child.h"
#include "tests/support/requires.h"
#include "tests/worker/symbolize/symbol_oracle.h"

using namespace pilotlight;

namespace {

std::string repeated(std::string_view part, std::size_t count) {
  std::string text;
  for (std::size_t index = 0; index < count; ++index) text += part;
  return text;
}

/// "S_", "S0_", "S1_" …
std::string substitution(std::size_t index) {
  constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return index == 0 ? "S_" : std::string("S") + digits[index - 1] + "_";
}

/// A type p<…> whose substitutions double it at each depth. `first` substitutions come before it in the name.
std::string doubling_type(std::size_t depth, std::size_t first = 0) {
  std::string type = "1pI" + repeated(substitution(first) + "I", depth - 1) + "iiE";
  for (std::size_t index = 1; index < depth; ++index) type += substitution(first + index) + "E";
  return type;
}

/// Time for one name, which must come back as it was or short.
std::chrono::nanoseconds time_of(const std::string& name) {
  const auto start = MonotonicClock::now();
  const std::string text = demangle(name);
  const auto taken = MonotonicClock::now() - start;
  BOOST_TEST((text == name || text.size() <= longest_name_for_people_bytes));
  return taken;
}

/// Runs a function with a stack as small as the demangler promises to manage with.
void with_small_stack(const std::function<void()>& function) {
  pthread_attr_t attributes;
  BOOST_REQUIRE(::pthread_attr_init(&attributes) == 0);
  BOOST_REQUIRE(::pthread_attr_setstacksize(&attributes, 3 << 20) == 0);
  pthread_t thread{};
  const auto run = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  BOOST_REQUIRE(::pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&function)) ==
                0);
  ::pthread_join(thread, nullptr);
  ::pthread_attr_destroy(&attributes);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(demangler)

BOOST_AUTO_TEST_CASE(names_of_each_language) {
  BOOST_TEST(demangle("_ZN5outer7CounterIlE3addEl") == "outer::Counter<long>::add(long)");
  BOOST_TEST(demangle("_Z3foov.part.0") == "foo() [clone .part.0]");
  BOOST_TEST(demangle("__ZN3foo3barEv") == "foo::bar()");
  BOOST_TEST(demangle("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE") == "core::fmt::Formatter::pad");
  BOOST_TEST(demangle("_RNvC6_123foo3bar") == "123foo::bar");
  BOOST_TEST(demangle("_RNvNtCs1234_7mycrate3foo3barB3_.llvm.123456").starts_with("mycrate::foo::bar"));
  BOOST_TEST(demangle("_D1d1K1mMFAyaZv") == "d.K.m(immutable(char)[])");
}

BOOST_AUTO_TEST_CASE(other_names_stay_as_they_are) {
  for (const std::string name :
       {"main", "", "_start", "runtime.mallocgc", "main.(*T).method", "_Zq", "_Dynamic", "_R", "_Z", "__Z",
        "_ZN", "$s4main3fooyyF", "-[NSObject init]", "JS:*foo bar.js:1"})
    BOOST_TEST(demangle(name) == name);
}

BOOST_AUTO_TEST_CASE(a_version_is_dropped_and_a_stub_stays_one) {
  BOOST_TEST(demangle("memcpy@@GLIBC_2.14") == "memcpy");
  BOOST_TEST(demangle("memcpy@GLIBC_2.2.5") == "memcpy");
  BOOST_TEST(demangle("malloc@plt") == "malloc@plt");
  BOOST_TEST(demangle("_ZNSo5flushEv@@GLIBCXX_3.4") == "std::ostream::flush()");
  BOOST_TEST(demangle("_ZNSo5flushEv@plt") == "std::ostream::flush()@plt");
}

BOOST_AUTO_TEST_CASE(agrees_with_cxxfilt_about_a_whole_library,
                     *boost::unit_test::precondition(test::NeedsProgram{"c++filt"})) {
  const test::SymbolOracle oracle("/usr/lib/x86_64-linux-gnu/libstdc++.so.6");
  std::vector<std::string> arguments = {test::find_program("c++filt"), "--no-verbose"};
  for (const auto& symbol : oracle.functions())
    if (symbol.name.starts_with("_Z")) arguments.push_back(symbol.name);
  BOOST_TEST(arguments.size() > 1000U);
  std::string expected;
  for (std::size_t index = 2; index < arguments.size(); ++index)
    expected += demangle(arguments[index]) + "\n";
  BOOST_TEST((test::run_to_end(arguments).standard_output == expected));
}

BOOST_AUTO_TEST_CASE(long_names_of_real_programs_are_demangled) {
  // 1,500 bytes: beyond what libiberty takes with its own limit.
  const std::string identifier = repeated("a", 1480);
  BOOST_TEST(demangle("_ZN3foo1480" + identifier + "Ev") == "foo::" + identifier + "()");
  BOOST_TEST(demangle("_Z1f" + repeated("P", 1500) + "i").starts_with("_Z1f"));  // too deep to be printed
}

BOOST_AUTO_TEST_CASE(too_long_names_stay_as_they_are) {
  for (const std::string& name :
       {"_Z1f" + repeated("P", 300'000) + "i", "_R" + repeated("R", 300'000), "_D" + repeated("1a", 300'000),
        "_RNvB_1a" + repeated("1a", 100'000), "_Z10000" + repeated("a", 10'000) + "v"})
    BOOST_TEST(demangle(name) == name);
}

BOOST_AUTO_TEST_CASE(names_that_would_expand_too_far_stay_as_they_are) {
  // One of 30 levels would be ten gigabytes long.
  for (const std::size_t depth : {14U, 20U, 30U, 35U}) {
    const std::string name = "_Z1f" + doubling_type(depth);
    BOOST_TEST(demangle(name) == name);
  }
  BOOST_TEST(demangle("_Z1f" + doubling_type(2)) == "f(p<p<int, int>, p<int, int> >)");
}

BOOST_AUTO_TEST_CASE(hostile_names_take_little_time_and_stack) {
  with_small_stack([] {
    std::vector<std::string> names;
    for (const std::size_t depth : {20U, 28U, 35U}) {
      names.push_back("_Z1f" + doubling_type(depth));
      names.push_back("_Z1fIJEEvDp" + doubling_type(depth, 1));  // looks for a pack in all of it
      names.push_back("_Z1fIJEEvDp" + doubling_type(depth, 1) + "DpS9_");
    }
    for (const std::size_t depth : {20U, 60U, 250U}) {
      names.push_back("_ZN1acv" + repeated("T_I", depth) + "i" + repeated("E", depth) +
                      "Ev");  // parsed 2^depth times
      names.push_back("_Z" + repeated("cvT_I", depth) + "i" + repeated("E", depth) + "v");
    }
    for (const std::size_t size : {500U, 1000U, 2000U, 4000U, 8000U}) {
      names.push_back("_Z1f" + repeated("P", size) + "i");
      names.push_back("_Z1f" + repeated("PFv", size / 3));
      names.push_back("_Z1fN" + repeated("1a", size / 2));
      names.push_back("_Z1fI" + repeated("1aIiE", size / 12) + "Ev" +
                      repeated("RT_", size / 6));  // scopes × templates
      names.push_back("_Z1fI" + repeated("1aIiE", size / 14) + "Ev" + repeated("1aIRT_E", size / 14));
      names.push_back("_Z1fIiEDT" + repeated("ng", size / 2) + "fp_Ev");
      names.push_back("_D1a" + repeated("P", size) + "i");
      names.push_back("_D1aF" + repeated("FQb", size / 3) + "Zv");
      names.push_back("_RMC0" + repeated("T", size / 4) + repeated("B_", size / 4));
      names.push_back("_RINvC1a1b" + repeated("TB2_", size / 4) + "E");
      names.push_back("_R" + repeated("NvB_", size / 4));
    }
    // Extended floating-point types where a pack is looked for.
    for (const auto* type : {"DF16b", "DF16_", "DF32x"}) names.push_back(std::string("_Z1fIJEEvDpP") + type);
    for (const std::string& name : names)
      BOOST_TEST(time_of(name) < std::chrono::seconds(1), name.substr(0, 60));
  });
}

BOOST_AUTO_TEST_CASE(names_put_together_at_random_take_little_time) {
  constexpr std::string_view parts[] = {"1a",    "N",  "E",   "I",  "J",   "S_", "S0_", "S1_", "S2_", "T_",
                                        "T0_",   "Dp", "sp",  "cv", "F",   "v",  "P",   "R",   "O",   "i",
                                        "DF16b", "DT", "X",   "L",  "li",  "Z",  "St",  "Ul",  "Ut",  "E_",
                                        "fp_",   "sr", "cl",  "C1", "D1",  "M",  "A_",  "Dn",  "sZ",  "sP",
                                        "nw",    "on", "B1x", "Q",  "W1m", "_",  "K",   "Li1E"};
  with_small_stack([&] {
    std::mt19937 random(1);
    for (int round = 0; round < 20'000; ++round) {
      constexpr std::string_view beginnings[] = {"_R", "_D", "_Z", "_Z", "_Z", "_Z", "_Z"};
      std::string name(beginnings[random() % std::size(beginnings)]);
      const std::size_t length = 1 + random() % 80;
      for (std::size_t part = 0; part < length; ++part) name += parts[random() % std::size(parts)];
      const auto taken = time_of(name);
      BOOST_REQUIRE_MESSAGE(taken < std::chrono::seconds(1), name);
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()
