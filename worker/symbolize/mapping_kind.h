// SPDX-License-Identifier: Apache-2.0
//
// What the path of a mapping says about it. The kernel's special names are listed in proc_pid_maps(5).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pilotlight {

enum class MappingKind : std::uint8_t {
  file,       ///< a file with a path
  nameless,   ///< a file without a path: made by memfd_create(2), or deleted
  vdso,       ///< the kernel's "[vdso]"
  special,    ///< another page of the kernel's: "[vsyscall]", "[uprobes]"
  anonymous,  ///< no file
};

MappingKind mapping_kind(std::string_view path);

/// What a frame is called if nothing better is known: "[libfoo.so.1]" for a file, "[anon]" for anonymous
/// memory and memfds (mostly code made at run time), the name itself for the kernel's pages.
std::string placeholder_name(std::string_view path);

}  // namespace pilotlight
