// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pilotlight::test {

/// A profile in the folded format, read back: one entry a line.
struct FoldedStack {
  std::vector<std::string> frames;  ///< root first
  std::uint64_t count = 0;
};
using FoldedFile = std::vector<FoldedStack>;

/// Throws std::runtime_error on a line that is not in the format.
FoldedFile read_folded(const std::string& path);

std::uint64_t total(const FoldedFile& file);

/// Samples with this frame anywhere in their stack.
std::uint64_t count_with(const FoldedFile& file, const std::string& frame);

}  // namespace pilotlight::test
