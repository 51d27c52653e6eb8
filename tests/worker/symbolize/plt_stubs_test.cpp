// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/plt_stubs.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <set>

#include "tests/support/requires.h"
#include "tests/worker/symbolize/symbol_oracle.h"
#include "worker/symbolize/elf_symbols.h"

using namespace pilotlight;

namespace {

std::vector<std::string> files() {
  std::vector<std::string> result = {PILOTLIGHT_SYMBOLS_LIBRARY, "/lib/x86_64-linux-gnu/libc.so.6",
                                     "/lib/x86_64-linux-gnu/libm.so.6",
                                     "/lib/x86_64-linux-gnu/libcrypto.so.3"};
  for (const auto* name :
       {"symbols_program_pie", "symbols_program_no-pie", "symbols_program_ibt", "symbols_program_stripped"})
    result.push_back(test::program_path(name));
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plt_stubs, *boost::unit_test::precondition(test::NeedsProgram{"objdump"}))

BOOST_DATA_TEST_CASE(stubs_are_named_as_objdump_names_them, boost::unit_test::data::make(files()), path) {
  const ElfSymbols symbols = ElfSymbols::read(*ElfFile::open(path));
  const auto stubs = test::oracle_plt_stubs(path);
  BOOST_TEST(!stubs.empty());
  for (const auto& stub : stubs) {
    BOOST_TEST_INFO(stub.name);
    for (const std::uint64_t offset : {0U, 7U}) {
      const std::string name(symbols.lookup(stub.address + offset).value_or(std::string_view()));
      // For an indirect function of the file itself objdump knows only the address ("*ABS*+0x98a50@plt"), and
      // its symbol may be stripped.
      if (stub.name.starts_with("*ABS*"))
        BOOST_CHECK(name.empty() || (name.ends_with("@plt") && !name.starts_with("@")));
      else
        BOOST_TEST(name == stub.name);
    }
  }
}

BOOST_AUTO_TEST_CASE(each_stub_of_a_static_program_is_named_after_its_indirect_function) {
  const std::string path = test::program_path("symbols_program_static");
  const auto file = ElfFile::open(path);
  const ElfSymbols symbols = ElfSymbols::read(*file);
  std::set<std::string> expected;
  const test::SymbolOracle oracle(path);
  for (const auto& symbol : oracle.symbols())
    if (symbol.type == "IFUNC") expected.insert(symbol.name + "@plt");
  const ElfSection* plt = file->section_named(".plt");
  BOOST_REQUIRE(plt != nullptr);
  std::set<std::string> names;
  for (std::uint64_t offset = 0; offset < plt->size; offset += 8) {
    const std::string name(symbols.lookup(plt->address + offset).value_or(std::string_view()));
    BOOST_TEST(expected.contains(name), name);
    BOOST_TEST(names.insert(name).second, name);
  }
  BOOST_TEST(names.contains("indirect_function@plt"));
}

BOOST_AUTO_TEST_CASE(the_first_entry_of_a_lazy_plt_belongs_to_no_function) {
  const std::string path = test::program_path("symbols_program_ibt");
  const auto file = ElfFile::open(path);
  BOOST_REQUIRE(file->section_named(".plt.sec") != nullptr);
  const ElfSymbols symbols = ElfSymbols::read(*file);
  const ElfSection* plt = file->section_named(".plt");
  BOOST_TEST(!symbols.lookup(plt->address).has_value());
  // The entries after it only push an index: the same functions in the same order as in .plt.sec.
  for (std::uint64_t offset = 16; offset < plt->size; offset += 16)
    BOOST_TEST(symbols.lookup(plt->address + offset).value() ==
               symbols.lookup(file->section_named(".plt.sec")->address + offset - 16).value());
}

BOOST_AUTO_TEST_SUITE_END()
