// SPDX-License-Identifier: Apache-2.0
//
// Names for people from the names that compilers give: C++ (Itanium ABI), Rust (both schemes) and D, by
// libiberty. The names are foreign. libiberty survives long and deep ones, but some of a few hundred bytes
// would keep it busy for years or expand to gigabytes; those are recognised and left as they are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pilotlight {

/// Names longer than this stay as they are.
inline constexpr std::size_t longest_demangled_name_bytes = 8 << 10;

/// Names that would become longer than this stay as they are.
inline constexpr std::size_t longest_name_for_people_bytes = 16 << 10;

/// The demangled name with its parameters; the name itself, less its symbol version ("@@GLIBC_2.14"), if it
/// is none of a compiler. A PLT stub keeps its "@plt". Needs up to 3 MiB of stack.
std::string demangle(std::string_view name);

}  // namespace pilotlight
