// SPDX-License-Identifier: Apache-2.0
//
// The stubs of the procedure linkage table (x86-64 psABI, chapter 5.2): each jumps through a slot of the
// global offset table, and the relocation of that slot tells whose stub it is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/elf/elf_file.h"

namespace pilotlight {

struct PltStub {
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  std::string function;  ///< that it jumps to, as in the symbol table
};

/// Stubs of .plt, .plt.sec and .plt.got whose function can be told, in no special order. For now of x86-64
/// files only. `name_of` names code of this same file: stubs of its indirect functions (STT_GNU_IFUNC) know
/// just an address.
std::vector<PltStub> read_plt_stubs(
    const ElfFile& file, const std::function<std::optional<std::string_view>(std::uint64_t)>& name_of);

}  // namespace pilotlight
