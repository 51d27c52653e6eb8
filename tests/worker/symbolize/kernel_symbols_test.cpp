// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/kernel_symbols.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <charconv>
#include <random>
#include <set>
#include <sstream>
#include <unordered_map>

#include "common/file.h"
#include "tests/support/requires.h"

using namespace pilotlight;

namespace {

/// "name" or "name [module]"; empty if there is none.
std::string name_at(const KernelSymbols& symbols, std::uint64_t address) {
  const auto symbol = symbols.lookup(address);
  if (!symbol) return {};
  return std::string(symbol->name) + (symbol->module.empty() ? "" : " [" + std::string(symbol->module) + "]");
}

// Captured, and put out of order as modules really come.
constexpr std::string_view captured =
    "0000000000000000 A fixed_percpu_data\n"
    "ffffffff81000000 T srso_alias_untrain_ret\n"
    "ffffffff81000000 T _stext\n"
    "ffffffff81000000 T _text\n"
    "ffffffff81000100 t local_function\n"
    "ffffffff81000100 T global_function\n"
    "ffffffff81000200 W weak_function\n"
    "ffffffff81000300 t __do_softirq.constprop.0\n"
    "ffffffff82276988 T _etext\n"
    "ffffffff82400000 D __start_rodata\n"
    "ffffffff82860620 d some_data\n"
    "ffffffffc0201000 t second_of_module\t[veth]\n"
    "ffffffffc0200000 t first_of_module\t[veth]\n"
    "ffffffffc0202000 d data_of_module\t[veth]\n"
    "ffffffffc0300000 t bpf_prog_6deef7357e7b4530_sd_fw_egress\t[bpf]\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(kernel_symbols)

BOOST_AUTO_TEST_CASE(a_function_reaches_to_the_next_symbol) {
  const auto symbols = KernelSymbols::parse(captured);
  BOOST_TEST(name_at(symbols, 0xffffffff80ffffff) == "");
  BOOST_TEST(name_at(symbols, 0xffffffff810000ff) == "srso_alias_untrain_ret");
  BOOST_TEST(name_at(symbols, 0xffffffff81000100) == "global_function");
  BOOST_TEST(name_at(symbols, 0xffffffff810001ff) == "global_function");
  BOOST_TEST(name_at(symbols, 0xffffffff81000200) == "weak_function");
  BOOST_TEST(name_at(symbols, 0xffffffff81000300) == "__do_softirq.constprop.0");
  BOOST_TEST(symbols.lookup(0xffffffff810001ff)->address == 0xffffffff81000100U);
}

BOOST_AUTO_TEST_CASE(data_has_no_name_and_ends_the_function_before_it) {
  const auto symbols = KernelSymbols::parse(captured);
  BOOST_TEST(name_at(symbols, 0xffffffff823fffff) == "_etext");
  BOOST_TEST(name_at(symbols, 0xffffffff82400000) == "");
  BOOST_TEST(name_at(symbols, 0xffffffffc01fffff) == "");
  BOOST_TEST(name_at(symbols, 0xffffffffc0202000) == "");
  BOOST_TEST(name_at(symbols, 0) == "");
}

BOOST_AUTO_TEST_CASE(functions_of_modules_and_bpf_programs_say_so) {
  const auto symbols = KernelSymbols::parse(captured);
  BOOST_TEST(name_at(symbols, 0xffffffffc0200fff) == "first_of_module [veth]");
  BOOST_TEST(name_at(symbols, 0xffffffffc0201000) == "second_of_module [veth]");
  BOOST_TEST(name_at(symbols, 0xffffffffc0300010) == "bpf_prog_6deef7357e7b4530_sd_fw_egress [bpf]");
}

BOOST_AUTO_TEST_CASE(past_the_page_of_the_last_symbol_nothing_is_known) {
  const auto symbols = KernelSymbols::parse(captured);
  BOOST_TEST(name_at(symbols, 0xffffffffc0300fff) != "");
  BOOST_TEST(name_at(symbols, 0xffffffffc0301000) == "");
  BOOST_TEST(name_at(symbols, UINT64_MAX) == "");
}

BOOST_AUTO_TEST_CASE(hidden_addresses_are_told_from_no_symbols) {
  const auto hidden = KernelSymbols::parse("0000000000000000 T _text\n0000000000000000 t other\t[module]\n");
  BOOST_TEST(hidden.restricted());
  BOOST_TEST(hidden.size() == 0U);
  BOOST_TEST(name_at(hidden, 0) == "");
  BOOST_TEST(!KernelSymbols::parse("").restricted());
  BOOST_TEST(!KernelSymbols::parse(captured).restricted());
}

BOOST_AUTO_TEST_CASE(lines_that_are_no_symbols_are_skipped) {
  for (const std::string line :
       {"", "ffffffff81000000", "ffffffff81000000 ", "ffffffff81000000 T", "ffffffff81000000 T ",
        "xyz T name", "ffffffff81000000T name", "ffffffff81000000 T name\tmodule",
        "ffffffff81000000 T name\t[", "10000000000000000 T name", " ffffffff81000000 T name"}) {
    const auto symbols = KernelSymbols::parse(line + "\nffffffff82000000 T good\n");
    BOOST_TEST(symbols.size() == 1U, line);
    BOOST_TEST(name_at(symbols, 0xffffffff82000000) == "good");
  }
  BOOST_TEST(KernelSymbols::parse(std::string_view("ffffffff81000000 T na\0me\n", 24)).size() == 0U);
}

BOOST_AUTO_TEST_CASE(garbage_does_no_harm) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text(captured.substr(0, random() % captured.size()));
    for (auto flips = random() % 40; flips > 0 && !text.empty(); --flips)
      text[random() % text.size()] = static_cast<char>(random());
    const auto symbols = KernelSymbols::parse(text);
    BOOST_REQUIRE(symbols.size() <= 15U);
    const auto symbol = symbols.lookup(0xffffffff81000100);
    BOOST_REQUIRE((!symbol || symbol->address <= 0xffffffff81000100U));
  }
}

BOOST_AUTO_TEST_CASE(every_function_of_this_kernel_is_found,
                     *boost::unit_test::precondition(test::NeedsRoot())) {
  std::unordered_map<std::uint64_t, std::set<std::string>> names;
  std::istringstream lines(read_file("/proc/kallsyms").value());
  std::size_t name_bytes = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string_view types = "tTwW";
    if (types.find(line.at(17)) == std::string_view::npos) continue;
    const std::string name = line.substr(19, line.find('\t') - 19);
    names[std::stoull(line, nullptr, 16)].insert(name);
    name_bytes += name.size() + 1;
  }
  BOOST_TEST(names.size() > 10'000U);
  const auto symbols = KernelSymbols::load("/proc/kallsyms");
  BOOST_REQUIRE(symbols.has_value());
  BOOST_TEST(!symbols->restricted());
  BOOST_TEST(symbols->size() == names.size());
  for (const auto& [address, expected] : names) {
    const auto symbol = symbols->lookup(address);
    BOOST_REQUIRE(symbol.has_value());
    BOOST_REQUIRE(symbol->address == address);
    BOOST_REQUIRE(expected.contains(std::string(symbol->name)));
  }
  BOOST_TEST(symbols->bytes() <= symbols->size() * 24 + name_bytes);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_there_is_an_error) {
  BOOST_TEST(!KernelSymbols::load("/proc/no-such-file").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
