// SPDX-License-Identifier: Apache-2.0
//
// The functions of one ELF file by address, from .symtab, .dynsym and the stubs of its PLT, in a table of 16
// bytes a function and a pool of names.
//
// Where symbols share an address, the choice does not depend on their order in the file: global before weak
// before local, then the plainer name (name_preference.h), then the larger, then the alphabetically first. A
// symbol with a size covers exactly that; one without (assembly) reaches to the next symbol, at most to the
// end of its section.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/elf/elf_file.h"

namespace pilotlight {

class ElfSymbols {
 public:
  ElfSymbols() = default;

  /// Never fails: of a broken table as much is taken as makes sense. At most four million functions, 256 MiB
  /// of names.
  static ElfSymbols read(const ElfFile& file);

  /// Name, as in the symbol table, of the function at a virtual address; nothing where no symbol covers it.
  /// Stubs of the PLT are called "name@plt". Valid as long as this object.
  [[nodiscard]] std::optional<std::string_view> lookup(std::uint64_t address) const;

  [[nodiscard]] std::size_t size() const { return symbols_.size(); }

  /// Memory in use.
  [[nodiscard]] std::size_t bytes() const { return symbols_.capacity() * sizeof(Symbol) + names_.capacity(); }

 private:
  struct Symbol {
    std::uint64_t address = 0;
    std::uint32_t size = 0;
    std::uint32_t name = 0;  ///< offset in names_, up to the next zero byte
  };

  void add_plt_stubs(const ElfFile& file);

  std::vector<Symbol> symbols_;  ///< sorted, disjoint
  std::string names_;
};

}  // namespace pilotlight
