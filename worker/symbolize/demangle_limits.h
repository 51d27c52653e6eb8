// SPDX-License-Identifier: Apache-2.0
//
// Which mangled names libiberty (2.40) can be given: measured bounds on its stack, time and output. Real
// names stay far below: of 424,211 C++ names in the libraries of a Debian machine none is refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pilotlight {

enum class CppNameSafety : std::uint8_t {
  unsafe,              ///< could take exponential time, or overflow the stack
  safe,                ///< with the recursion limit, which refuses all names longer than 1,024 bytes
  safe_without_limit,  ///< although longer than that
};

CppNameSafety cpp_name_safety(const std::string& name);

/// False if leaving the demangler at an overflow could leak the buffer of a non-ASCII identifier.
bool is_safe_rust_name(std::string_view name);

/// False if back references could expand to more than 16 MiB.
bool is_safe_d_name(std::string_view name);

}  // namespace pilotlight
