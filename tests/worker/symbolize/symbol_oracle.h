// SPDX-License-Identifier: Apache-2.0
//
// What binutils says about the symbols of a file, to hold ours against.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace pilotlight::test {

struct OracleSymbol {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::string type;     ///< FUNC, NOTYPE …
  std::string binding;  ///< GLOBAL, LOCAL …
  std::string name;     ///< without its version
};

/// Defined functions and labels of .symtab and .dynsym (readelf), sorted by address.
class SymbolOracle {
 public:
  explicit SymbolOracle(const std::string& path);

  [[nodiscard]] const std::vector<OracleSymbol>& symbols() const { return symbols_; }
  [[nodiscard]] std::vector<OracleSymbol> functions() const;  ///< with a size

  /// Names of all functions with a size that cover an address.
  [[nodiscard]] std::set<std::string> names_covering(std::uint64_t address) const;

  /// Names of everything that starts at an address.
  [[nodiscard]] std::set<std::string> names_starting(std::uint64_t address) const;

  /// Address of the symbol with this name; fails the test if there is none.
  [[nodiscard]] std::uint64_t address_of(const std::string& name) const;

 private:
  std::vector<OracleSymbol> symbols_;
  std::uint64_t largest_size_ = 0;
};

struct OracleStub {
  std::uint64_t address = 0;
  std::string name;  ///< "malloc@plt"
};

/// Stubs of the PLT sections as objdump disassembles them.
std::vector<OracleStub> oracle_plt_stubs(const std::string& path);

/// A symbol's name without its version.
std::string without_version(const std::string& name);

/// A file among the test's programs.
std::string program_path(const std::string& name);

}  // namespace pilotlight::test
