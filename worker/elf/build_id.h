// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "worker/elf/elf_file.h"

namespace pilotlight {

/// The build ID as lower-case hexadecimal: descriptor of the note of owner "GNU" and type NT_GNU_BUILD_ID,
/// looked for in the PT_NOTE segments and then in the section .note.gnu.build-id (a separate debug file has
/// only that). Nothing if there is none or it is malformed.
std::optional<std::string> read_build_id(const ElfFile& file);

}  // namespace pilotlight
