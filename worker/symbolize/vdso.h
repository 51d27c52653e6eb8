// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/error.h"
#include "worker/elf/elf_file.h"

namespace pilotlight {

/// The kernel's shared object in this process's memory (vdso(7)): all 64-bit processes of a machine have the
/// same.
Result<ElfFile> open_own_vdso();

}  // namespace pilotlight
