// SPDX-License-Identifier: Apache-2.0
#include "tests/support/folded_file.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace pilotlight::test {

FoldedFile read_folded(const std::string& path) {
  FoldedFile stacks;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto blank = line.rfind(' ');
    if (blank == std::string::npos) throw std::runtime_error("no count in '" + line + "'");
    FoldedStack stack;
    const auto parsed = std::from_chars(line.data() + blank + 1, line.data() + line.size(), stack.count);
    if (parsed.ec != std::errc() || parsed.ptr != line.data() + line.size() || stack.count == 0)
      throw std::runtime_error("no count in '" + line + "'");
    std::istringstream frames(line.substr(0, blank));
    for (std::string frame; std::getline(frames, frame, ';');) {
      if (frame.empty()) throw std::runtime_error("an empty frame in '" + line + "'");
      stack.frames.push_back(frame);
    }
    stacks.push_back(std::move(stack));
  }
  return stacks;
}

std::uint64_t total(const FoldedFile& file) {
  return std::accumulate(file.begin(), file.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const FoldedStack& stack) { return sum + stack.count; });
}

std::uint64_t count_with(const FoldedFile& file, const std::string& frame) {
  std::uint64_t count = 0;
  for (const auto& stack : file)
    if (std::ranges::find(stack.frames, frame) != stack.frames.end()) count += stack.count;
  return count;
}

}  // namespace pilotlight::test
