// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/symbolize/symbol_oracle.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cctype>
#include <sstream>

#include "tests/support/child.h"
#include "tests/support/requires.h"

namespace pilotlight::test {

std::string without_version(const std::string& name) { return name.substr(0, name.find('@')); }

std::string program_path(const std::string& name) { return std::string(PILOTLIGHT_BIN_DIR) + "/" + name; }

SymbolOracle::SymbolOracle(const std::string& path) {
  const auto shown = run_to_end({find_program("readelf"), "-W", "--symbols", path});
  BOOST_REQUIRE(shown.exit_code == 0);
  std::istringstream lines(shown.standard_output);
  // "    12: 0000000000001139    42 FUNC    GLOBAL DEFAULT   14 main@@VERSION"
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string number;
    std::string address;
    std::string size;
    std::string visibility;
    std::string section;
    OracleSymbol symbol;
    if (!(fields >> number >> address >> size >> symbol.type >> symbol.binding >> visibility >> section >>
          symbol.name))
      continue;
    const bool is_code = symbol.type == "FUNC" || symbol.type == "IFUNC" || symbol.type == "NOTYPE";
    if (number.back() != ':' || !is_code || std::isdigit(static_cast<unsigned char>(section[0])) == 0)
      continue;
    symbol.address = std::stoull(address, nullptr, 16);
    symbol.size = std::stoull(size, nullptr, 0);
    symbol.name = without_version(symbol.name);
    largest_size_ = std::max(largest_size_, symbol.size);
    symbols_.push_back(std::move(symbol));
  }
  std::ranges::sort(symbols_, {}, &OracleSymbol::address);
}

std::vector<OracleSymbol> SymbolOracle::functions() const {
  std::vector<OracleSymbol> result;
  for (const OracleSymbol& symbol : symbols_)
    if (symbol.size != 0 && symbol.type != "NOTYPE") result.push_back(symbol);
  return result;
}

std::set<std::string> SymbolOracle::names_covering(std::uint64_t address) const {
  std::set<std::string> names;
  for (auto symbol = std::ranges::upper_bound(symbols_, address, {}, &OracleSymbol::address);
       symbol != symbols_.begin();) {
    --symbol;
    if (address - symbol->address >= largest_size_) break;
    if (address - symbol->address < symbol->size) names.insert(symbol->name);
  }
  return names;
}

std::set<std::string> SymbolOracle::names_starting(std::uint64_t address) const {
  std::set<std::string> names;
  for (const OracleSymbol& symbol : std::ranges::equal_range(symbols_, address, {}, &OracleSymbol::address))
    names.insert(symbol.name);
  return names;
}

std::uint64_t SymbolOracle::address_of(const std::string& name) const {
  const auto found = std::ranges::find(symbols_, name, &OracleSymbol::name);
  BOOST_REQUIRE_MESSAGE(found != symbols_.end(), "no symbol " << name);
  return found->address;
}

std::vector<OracleStub> oracle_plt_stubs(const std::string& path) {
  // "0000000000026370 <malloc@plt>:"
  const auto shown =
      run_to_end({find_program("objdump"), "-d", "-j", ".plt", "-j", ".plt.sec", "-j", ".plt.got", path});
  std::vector<OracleStub> stubs;
  std::istringstream lines(shown.standard_output);
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find(" <");
    if (!line.ends_with("@plt>:") || begin == std::string::npos) continue;
    stubs.push_back(
        {.address = std::stoull(line, nullptr, 16), .name = line.substr(begin + 2, line.size() - begin - 4)});
  }
  return stubs;
}

}  // namespace pilotlight::test
