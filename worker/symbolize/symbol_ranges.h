// SPDX-License-Identifier: Apache-2.0
//
// From symbols that may overlap to ranges that do not: what makes a lookup one binary search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pilotlight {

/// A symbol that covers [address, limit).
struct SymbolExtent {
  std::uint64_t address = 0;
  std::uint64_t limit = 0;
  std::uint32_t name = 0;  ///< whatever the caller finds the name by
};

/// Makes disjoint, sorted ranges. Where extents overlap, the one that starts last counts (a function inside
/// another's range is the more exact answer); of those with the same start, the one that comes last in the
/// input. What an inner one leaves over goes back to the outer one. The input is sorted by address.
std::vector<SymbolExtent> flatten(const std::vector<SymbolExtent>& sorted);

/// Adds labels, which have no size, where the ranges leave a gap: each reaches to the next range, the next
/// label or its own limit. Labels inside a range are dropped; of those at the same address the last counts.
/// Both are sorted by address, and so is the result.
std::vector<SymbolExtent> fill_gaps(const std::vector<SymbolExtent>& ranges,
                                    const std::vector<SymbolExtent>& labels);

}  // namespace pilotlight
