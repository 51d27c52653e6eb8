// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "worker/elf/elf_file.h"

namespace pilotlight {

/// Calls `take` with each entry of a section that is a table (of Elf64_Sym, Elf64_Rela …) until it returns false or the
/// table or the file ends. Reads in pieces: a table as a whole can be larger than all the rest that is kept of a file.
template <class Entry, class Function>
void for_each_entry(const ElfFile& file, const ElfSection& section, Function take) {
  if (section.entry_size != sizeof(Entry)) return;
  constexpr std::uint64_t piece = 4096;
  std::vector<Entry> buffer(piece);
  const std::uint64_t count = section.size / sizeof(Entry);
  for (std::uint64_t first = 0; first < count; first += piece) {
    const auto entries = std::span(buffer).first(std::min(piece, count - first));
    if (!file.read_at(section.file_offset + first * sizeof(Entry), std::as_writable_bytes(entries))) return;
    for (const Entry& entry : entries)
      if (!take(entry)) return;
  }
}

}  // namespace pilotlight
