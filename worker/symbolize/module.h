// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/elf/elf_file.h"
#include "worker/symbolize/elf_symbols.h"

namespace pilotlight {

/// What is kept of one program or library to name its addresses, once its file is closed.
class Module {
 public:
  explicit Module(const ElfFile& file);

  /// Name, as in the symbol table, of the function at an offset of the file; nothing where no symbol covers
  /// it. Valid as long as this object.
  [[nodiscard]] std::optional<std::string_view> lookup(std::uint64_t file_offset) const;

  /// Lower-case hexadecimal; empty if the file has none.
  [[nodiscard]] const std::string& build_id() const { return build_id_; }

  /// Memory in use.
  [[nodiscard]] std::size_t bytes() const;

 private:
  std::vector<ElfSegment> segments_;
  ElfSymbols symbols_;
  std::string build_id_;
};

}  // namespace pilotlight
