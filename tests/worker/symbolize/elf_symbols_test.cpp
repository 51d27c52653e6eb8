// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/elf_symbols.h"

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/support/requires.h"
#include "tests/worker/symbolize/symbol_oracle.h"

using namespace pilotlight;
using test::SymbolOracle;

namespace {

ElfSymbols symbols_of(const std::string& path) {
  const auto file = ElfFile::open(path);
  BOOST_REQUIRE_MESSAGE(file.has_value(), (file ? "" : file.error().message()));
  return ElfSymbols::read(*file);
}

/// Name at an address, without version; empty if there is none.
std::string name_at(const ElfSymbols& symbols, std::uint64_t address) {
  return std::string(symbols.lookup(address).value_or(std::string_view()));
}

std::vector<std::string> real_files() {
  std::vector<std::string> files = {PILOTLIGHT_SYMBOLS_LIBRARY,
                                    test::program_path("pilotlight_symbolize_test")};
  for (const auto* name :
       {"symbols_program_pie", "symbols_program_no-pie", "symbols_program_static",
        "symbols_program_static-pie", "symbols_program_ibt", "symbols_library_stripped.so"})
    files.push_back(test::program_path(name));
  for (const auto* name :
       {"libc.so.6", "libstdc++.so.6", "libm.so.6", "libcrypto.so.3", "ld-linux-x86-64.so.2"}) {
    const std::string path = std::string("/lib/x86_64-linux-gnu/") + name;
    if (std::filesystem::exists(path)) files.push_back(path);
    if (const std::string usr = "/usr" + path; !std::filesystem::exists(path) && std::filesystem::exists(usr))
      files.push_back(usr);
  }
  return files;
}

/// Whether a label without a size (or a stub) explains the name at an address that no sized symbol covers.
bool is_label(const SymbolOracle& oracle, const std::string& name, std::uint64_t address) {
  if (name.ends_with("@plt")) return true;
  return std::ranges::any_of(oracle.symbols(), [&](const auto& symbol) {
    return symbol.name == name && symbol.size == 0 && symbol.address <= address;
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(elf_symbols, *boost::unit_test::precondition(test::NeedsProgram{"readelf"}))

BOOST_DATA_TEST_CASE(every_function_of_a_real_file_is_found_at_all_its_bytes_and_not_after_them,
                     boost::unit_test::data::make(real_files()), path) {
  const ElfSymbols symbols = symbols_of(path);
  const SymbolOracle oracle(path);
  const auto functions = oracle.functions();
  BOOST_TEST(functions.size() >= 5U);
  for (const auto& function : functions) {
    BOOST_TEST_INFO(function.name);
    const std::string first = test::without_version(name_at(symbols, function.address));
    BOOST_CHECK(oracle.names_starting(function.address).contains(first));
    for (const std::uint64_t offset : {function.size / 2, function.size - 1}) {
      const std::string name = test::without_version(name_at(symbols, function.address + offset));
      BOOST_CHECK(oracle.names_covering(function.address + offset).contains(name));
    }
    const std::uint64_t end = function.address + function.size;
    const std::string after = name_at(symbols, end);
    if (!after.empty())
      BOOST_CHECK(oracle.names_covering(end).contains(test::without_version(after)) ||
                  is_label(oracle, after, end));
  }
}

BOOST_AUTO_TEST_CASE(of_aliases_the_global_and_plainer_one_is_shown) {
  const std::string path = test::program_path("symbols_program_pie");
  const ElfSymbols symbols = symbols_of(path);
  const SymbolOracle oracle(path);
  BOOST_TEST(name_at(symbols, oracle.address_of("global_function")) == "global_alias");  // a before f
  BOOST_TEST(name_at(symbols, oracle.address_of("local_function")) == "weak_alias_of_local");
  BOOST_TEST(name_at(symbols, oracle.address_of("main")) == "main");
}

BOOST_AUTO_TEST_CASE(assembly_is_named_as_far_as_its_symbols_tell) {
  for (const auto* program : {"symbols_program_pie", "symbols_program_no-pie", "symbols_program_static"}) {
    const ElfSymbols symbols = symbols_of(test::program_path(program));
    const SymbolOracle oracle(test::program_path(program));
    const std::uint64_t outer = oracle.address_of("sized_outer");
    const auto at = [&](std::uint64_t offset) { return name_at(symbols, outer + offset); };
    BOOST_TEST_CONTEXT(program) {
      BOOST_TEST(at(0) == "sized_outer");
      BOOST_TEST(at(7) == "sized_outer");
      BOOST_TEST(at(8) == "sized_inner");
      BOOST_TEST(at(15) == "sized_inner");
      BOOST_TEST(at(16) == "sized_outer");  // a label inside a function is none of its own
      BOOST_TEST(at(31) == "sized_outer");
      BOOST_TEST(at(32) == "");  // past the end of a sized one
      BOOST_TEST(at(39) == "");
      BOOST_TEST(at(40) == "label_without_type");
      BOOST_TEST(at(47) == "label_without_type");
      BOOST_TEST(at(48) == "function_without_size");
      BOOST_TEST(at(71) == "function_without_size");
      BOOST_TEST(at(72) == "after_the_labels");
      BOOST_TEST(at(73) == "");
      const std::uint64_t last = oracle.address_of("last_of_its_section");
      BOOST_TEST(name_at(symbols, last + 4) == "last_of_its_section");
      BOOST_TEST(name_at(symbols, last + 5) != "last_of_its_section");  // the section ends
    }
  }
}

BOOST_AUTO_TEST_CASE(a_stripped_library_has_the_names_it_exports) {
  const SymbolOracle oracle(PILOTLIGHT_SYMBOLS_LIBRARY);
  const ElfSymbols symbols = symbols_of(test::program_path("symbols_library_stripped.so"));
  BOOST_TEST(name_at(symbols, oracle.address_of("global_function")) == "global_alias");
  BOOST_TEST(name_at(symbols, oracle.address_of("sized_outer")) == "sized_outer");
  BOOST_TEST(name_at(symbols, oracle.address_of("chosen_at_start")) == "");
}

BOOST_AUTO_TEST_CASE(addresses_outside_of_all_code_have_no_name) {
  const ElfSymbols symbols = symbols_of("/proc/self/exe");
  BOOST_TEST(!symbols.lookup(0).has_value());
  BOOST_TEST(!symbols.lookup(UINT64_MAX).has_value());
  BOOST_TEST(!ElfSymbols().lookup(1).has_value());
}

BOOST_AUTO_TEST_CASE(data_is_no_function) {
  const auto file = ElfFile::open("/proc/self/exe");
  const ElfSymbols symbols = ElfSymbols::read(*file);
  for (const auto* name : {".data", ".bss", ".rodata", ".eh_frame"})
    for (std::uint64_t offset = 0; offset < file->section_named(name)->size; offset += 16)
      BOOST_REQUIRE(!symbols.lookup(file->section_named(name)->address + offset).has_value());
}

BOOST_AUTO_TEST_CASE(a_function_takes_at_most_24_bytes_and_its_name) {
  const std::string path = test::program_path("symbols_program_static");
  const ElfSymbols symbols = symbols_of(path);
  std::size_t names = 0;
  const SymbolOracle oracle(path);
  for (const auto& symbol : oracle.symbols()) names += symbol.name.size() + 1;
  BOOST_TEST(symbols.size() > 1000U);
  BOOST_TEST(symbols.bytes() <= symbols.size() * 24 + names);
}

BOOST_AUTO_TEST_SUITE_END()
