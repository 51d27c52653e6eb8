// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/symbol_ranges.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <optional>
#include <random>
#include <sstream>

using namespace pilotlight;

namespace {

std::string text(const std::vector<SymbolExtent>& extents) {
  std::ostringstream stream;
  for (const SymbolExtent& extent : extents)
    stream << extent.name << ':' << extent.address << '-' << extent.limit << ' ';
  return stream.str();
}

/// By definition instead of by algorithm: the last in the input that covers the address.
std::optional<std::uint32_t> name_by_definition(const std::vector<SymbolExtent>& sorted,
                                                std::uint64_t address) {
  std::optional<std::uint32_t> name;
  for (const SymbolExtent& extent : sorted)
    if (extent.address <= address && address < extent.limit) name = extent.name;
  return name;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(symbol_ranges)

BOOST_AUTO_TEST_CASE(what_does_not_overlap_stays) {
  BOOST_TEST(text(flatten({{1, 4, 7}, {4, 6, 8}, {9, 10, 9}})) == "7:1-4 8:4-6 9:9-10 ");
  BOOST_TEST(flatten({}).empty());
}

BOOST_AUTO_TEST_CASE(an_inner_symbol_is_cut_out_of_the_outer_one) {
  BOOST_TEST(text(flatten({{0, 10, 1}, {3, 5, 2}})) == "1:0-3 2:3-5 1:5-10 ");
}

BOOST_AUTO_TEST_CASE(the_later_start_counts_where_two_overlap) {
  BOOST_TEST(text(flatten({{0, 10, 1}, {5, 15, 2}})) == "1:0-5 2:5-15 ");
}

BOOST_AUTO_TEST_CASE(of_the_same_start_the_last_counts_and_the_longer_gets_the_rest) {
  BOOST_TEST(text(flatten({{0, 10, 1}, {0, 4, 2}})) == "2:0-4 1:4-10 ");
  BOOST_TEST(text(flatten({{0, 4, 2}, {0, 10, 1}})) == "1:0-10 ");
}

BOOST_AUTO_TEST_CASE(random_extents_are_flattened_as_defined) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<SymbolExtent> extents;
    for (std::uint32_t name = 0; name < 1 + random() % 12; ++name) {
      const std::uint64_t address = random() % 40;
      extents.push_back({.address = address, .limit = address + random() % 20, .name = name});
    }
    std::ranges::sort(extents, {}, &SymbolExtent::address);
    const auto ranges = flatten(extents);
    for (std::size_t index = 1; index < ranges.size(); ++index)
      BOOST_REQUIRE(ranges[index - 1].limit <= ranges[index].address);
    for (std::uint64_t address = 0; address < 64; ++address)
      BOOST_REQUIRE(name_by_definition(ranges, address) == name_by_definition(extents, address));
  }
}

BOOST_AUTO_TEST_CASE(labels_fill_only_gaps) {
  const std::vector<SymbolExtent> ranges = {{10, 20, 1}, {30, 40, 2}};
  BOOST_TEST(text(fill_gaps(ranges, {{5, 100, 7}})) == "7:5-10 1:10-20 2:30-40 ");
  BOOST_TEST(text(fill_gaps(ranges, {{15, 100, 7}})) == "1:10-20 2:30-40 ");
  BOOST_TEST(text(fill_gaps(ranges, {{10, 100, 7}})) == "1:10-20 2:30-40 ");
  BOOST_TEST(text(fill_gaps(ranges, {{20, 100, 7}, {25, 100, 8}})) == "1:10-20 7:20-25 8:25-30 2:30-40 ");
  BOOST_TEST(text(fill_gaps(ranges, {{40, 50, 7}})) == "1:10-20 2:30-40 7:40-50 ");
  BOOST_TEST(text(fill_gaps(ranges, {{22, 24, 7}, {22, 24, 8}})) == "1:10-20 8:22-24 2:30-40 ");
  BOOST_TEST(text(fill_gaps({}, {{1, 3, 7}})) == "7:1-3 ");
}

BOOST_AUTO_TEST_SUITE_END()
