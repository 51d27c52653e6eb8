// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace pilotlight {

/// Of several names of the same code the one with the lowest complexity is shown: a name with a symbol
/// version
/// ("@@GLIBC_2.14") counts more than any without, then each leading underscore counts.
[[nodiscard]] std::uint8_t name_complexity(std::string_view name);

}  // namespace pilotlight
