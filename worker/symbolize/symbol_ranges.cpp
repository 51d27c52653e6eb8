// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/symbol_ranges.h"

#include <algorithm>

namespace pilotlight {

namespace {

/// The extents that are open at the cursor. A later one always hides the earlier ones, hence a stack.
class OpenExtents {
 public:
  explicit OpenExtents(std::vector<SymbolExtent>& ranges) : ranges_(ranges) {}

  /// Writes what covers the stretch from the cursor to here.
  void advance_to(std::uint64_t address) {
    while (cursor_ < address && !open_.empty()) {
      const SymbolExtent& top = open_.back();
      const std::uint64_t end = std::min(top.limit, address);
      if (end > cursor_) {
        ranges_.push_back({.address = cursor_, .limit = end, .name = top.name});
        cursor_ = end;
      }
      if (top.limit <= cursor_) open_.pop_back();
    }
    cursor_ = std::max(cursor_, address);
  }

  void open(const SymbolExtent& extent) {
    advance_to(extent.address);
    open_.push_back(extent);
  }

  void finish() { advance_to(UINT64_MAX); }

 private:
  std::vector<SymbolExtent>& ranges_;
  std::vector<SymbolExtent> open_;
  std::uint64_t cursor_ = 0;
};

}  // namespace

std::vector<SymbolExtent> flatten(const std::vector<SymbolExtent>& sorted) {
  std::vector<SymbolExtent> ranges;
  ranges.reserve(sorted.size());
  OpenExtents open(ranges);
  for (const SymbolExtent& extent : sorted)
    if (extent.limit > extent.address) open.open(extent);
  open.finish();
  return ranges;
}

std::vector<SymbolExtent> fill_gaps(const std::vector<SymbolExtent>& ranges,
                                    const std::vector<SymbolExtent>& labels) {
  std::vector<SymbolExtent> result;
  result.reserve(ranges.size() + labels.size());
  auto next = ranges.begin();
  for (std::size_t index = 0; index < labels.size(); ++index) {
    const SymbolExtent& label = labels[index];
    for (; next != ranges.end() && next->address <= label.address; ++next) result.push_back(*next);
    std::uint64_t limit = label.limit;
    if (next != ranges.end()) limit = std::min(limit, next->address);
    if (index + 1 < labels.size()) limit = std::min(limit, labels[index + 1].address);
    const bool covered = !result.empty() && result.back().limit > label.address;
    if (!covered && limit > label.address)
      result.push_back({.address = label.address, .limit = limit, .name = label.name});
  }
  result.insert(result.end(), next, ranges.end());
  return result;
}

}  // namespace pilotlight
