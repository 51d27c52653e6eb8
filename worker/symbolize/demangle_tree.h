// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pilotlight {

/// Whether libiberty can print a C++ name that expands a parameter pack. Looking for the pack, it walks the
/// operand as a tree although substitutions make it a graph, in which the paths can be exponentially many;
/// and it takes the extended floating-point types ("DF16b") for something with parts. Needs stack in
/// proportion to the name's length, 200 bytes for each of its characters.
bool can_print_packs(const std::string& name);

}  // namespace pilotlight
