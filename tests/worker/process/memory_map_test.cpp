// SPDX-License-Identifier: Apache-2.0
#include "worker/process/memory_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <random>

#include "common/file.h"
#include "common/unique_handle.h"
#include "tests/support/temporary_directory.h"

using namespace pilotlight;

namespace {

/// A file of one page in this process's memory.
class MappedPage {
 public:
  explicit MappedPage(const std::string& path) {
    test::write_file(path, std::string(4096, 'x'));
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    ::stat(path.c_str(), &status_);
    memory_ = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    BOOST_REQUIRE(memory_ != MAP_FAILED);
  }
  MappedPage(const MappedPage&) = delete;
  MappedPage& operator=(const MappedPage&) = delete;
  ~MappedPage() { ::munmap(memory_, 4096); }

  /// Its line in this process's map.
  [[nodiscard]] MemoryMapping mapping() const {
    const auto map = parse_memory_map(read_file("/proc/self/maps").value());
    const auto found =
        std::ranges::find(map.mappings, std::bit_cast<std::uint64_t>(memory_), &MemoryMapping::start);
    BOOST_REQUIRE(found != map.mappings.end());
    return *found;
  }
  [[nodiscard]] const struct stat& status() const { return status_; }

 private:
  void* memory_ = nullptr;
  struct stat status_{};
};

MemoryMapping only_mapping(std::string_view text) {
  const MemoryMap map = parse_memory_map(text);
  BOOST_TEST(map.malformed == 0U);
  BOOST_REQUIRE(map.mappings.size() == 1U);
  return map.mappings.front();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(memory_map)

BOOST_AUTO_TEST_CASE(reads_every_field_of_a_line) {
  const auto mapping = only_mapping(
      "7f84ffa6e000-7f84ffbc4000 r-xp 00026000 fe:01 326269                     "
      "/usr/lib/x86_64-linux-gnu/libc.so.6\n");
  BOOST_TEST(mapping.start == 0x7f84ffa6e000U);
  BOOST_TEST(mapping.limit == 0x7f84ffbc4000U);
  BOOST_TEST(mapping.file_offset == 0x26000U);
  BOOST_TEST((mapping.readable && !mapping.writable && mapping.executable && !mapping.shared));
  BOOST_TEST(mapping.device == gnu_dev_makedev(0xfe, 1));
  BOOST_TEST(mapping.inode == 326269U);
  BOOST_TEST(mapping.path == "/usr/lib/x86_64-linux-gnu/libc.so.6");
  BOOST_TEST(!mapping.deleted);
}

BOOST_AUTO_TEST_CASE(anonymous_memory_has_an_empty_path) {
  BOOST_TEST(only_mapping("7f84ff9c4000-7f84ff9e6000 rw-p 00000000 00:00 0 \n").path.empty());
  BOOST_TEST(only_mapping("7f84ff9c4000-7f84ff9e6000 rw-s 00000000 00:00 0").shared);
}

BOOST_AUTO_TEST_CASE(addresses_and_minor_numbers_use_all_their_bits) {
  const auto mapping = only_mapping(
      "ffffffffff600000-ffffffffff601000 --xp fffffffffffff000 103:fffff 18446744073709551615 [vsyscall]\n");
  BOOST_TEST(mapping.start == 0xffffffffff600000U);
  BOOST_TEST(mapping.file_offset == 0xfffffffffffff000U);
  BOOST_TEST(mapping.inode == UINT64_MAX);
  BOOST_TEST(gnu_dev_major(mapping.device) == 0x103U);
  BOOST_TEST(gnu_dev_minor(mapping.device) == 0xfffffU);
}

BOOST_AUTO_TEST_CASE(a_path_keeps_its_spaces_and_gets_its_newlines_back) {
  constexpr std::string_view line =
      "1000-2000 r-xp 00000000 fe:00 1    /tmp/two  words\\012and a line \\0123\n";
  BOOST_TEST(only_mapping(line).path == "/tmp/two  words\nand a line \n3");
  BOOST_TEST(only_mapping("1000-2000 r-xp 00000000 fe:00 1    /tmp/back\\slash\\040\n").path ==
             "/tmp/back\\slash\\040");
}

BOOST_AUTO_TEST_CASE(the_mark_of_a_deleted_file_is_no_part_of_its_path) {
  const auto mapping = only_mapping("1000-2000 r-xp 00000000 00:01 7    /memfd:x (y) (deleted)\n");
  BOOST_TEST(mapping.path == "/memfd:x (y)");
  BOOST_TEST(mapping.deleted);
}

BOOST_AUTO_TEST_CASE(reads_what_the_kernel_says_about_a_file_with_an_odd_name) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / " odd\nname\\012 (deleted) \xff\x01";
  const MappedPage page(path);
  const auto mapping = page.mapping();
  // The kernel does not escape the backslash, so that one name stands for two.
  BOOST_TEST(mapping.path == directory / " odd\nname\n (deleted) \xff\x01");
  BOOST_TEST(!mapping.deleted);
  BOOST_TEST(mapping.inode == page.status().st_ino);
  BOOST_TEST(mapping.device == page.status().st_dev);
  BOOST_TEST((mapping.readable && !mapping.writable && !mapping.executable && !mapping.shared));

  ::unlink(path.c_str());
  BOOST_TEST(page.mapping().deleted);
  BOOST_TEST(page.mapping().path == mapping.path);
}

BOOST_AUTO_TEST_CASE(understands_every_line_of_its_own_map) {
  const std::string text = read_file("/proc/self/maps").value();
  const auto map = parse_memory_map(text);
  BOOST_TEST(map.malformed == 0U);
  BOOST_TEST(map.mappings.size() == static_cast<std::size_t>(std::ranges::count(text, '\n')));
  const auto here = std::bit_cast<std::uint64_t>(&only_mapping);
  const auto own = std::ranges::find_if(map.mappings, [&](const MemoryMapping& mapping) {
    return mapping.start <= here && here < mapping.limit;
  });
  BOOST_REQUIRE(own != map.mappings.end());
  BOOST_TEST(own->executable);
  BOOST_TEST(own->path.ends_with("pilotlight_process_test"));
}

BOOST_AUTO_TEST_CASE(counts_malformed_lines_and_goes_on) {
  constexpr std::string_view lines[] = {
      "",                                              // empty
      "1000",                                          // cut short
      "1000-2000",                                     //
      "1000-2000 r-xp",                                //
      "1000-2000 r-xp 00000000 fe:00",                 //
      "1000-2000 r-xp 00000000 fe:00 ",                //
      "2000-1000 r-xp 00000000 fe:00 1 /a",            // backwards
      "1000-1000 r-xp 00000000 fe:00 1 /a",            // empty range
      "10000000000000000-2 r-xp 00000000 fe:00 1 /a",  // 65 bits
      "1000-2000 rwxq 00000000 fe:00 1 /a",            // unknown permission
      "1000-2000 xwrp 00000000 fe:00 1 /a",            //
      "1000-2000 r-xp 00000000 fe-00 1 /a",            //
      "1000-2000 r-xp 00000000 fe:00 1/a",             //
      "-1000-2000 r-xp 00000000 fe:00 1 /a",           //
      "1000-2000 r-xp 0x000000 fe:00 1 /a",            //
  };
  for (const std::string_view line : lines) {
    const auto map = parse_memory_map(std::string(line) + "\n3000-4000 r-xp 00000000 fe:00 1 /good\n");
    BOOST_TEST_CONTEXT(line) {
      BOOST_TEST(map.malformed == 1U);
      BOOST_REQUIRE(map.mappings.size() == 1U);
      BOOST_TEST(map.mappings[0].path == "/good");
    }
  }
}

BOOST_AUTO_TEST_CASE(the_number_of_mappings_is_bounded) {
  std::string text;
  for (int index = 0; index < 10; ++index) text += "1000-2000 r-xp 00000000 fe:00 1 /a\n";
  const auto map = parse_memory_map(text, 4);
  BOOST_TEST(map.mappings.size() == 4U);
  BOOST_TEST(map.left_out == 6U);
}

BOOST_AUTO_TEST_CASE(garbage_does_no_harm) {
  const std::string good = read_file("/proc/self/maps").value();
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text = good.substr(0, random() % good.size());
    for (auto flips = random() % 50; flips > 0 && !text.empty(); --flips)
      text[random() % text.size()] = static_cast<char>(random());
    const auto map = parse_memory_map(text);
    const auto lines =
        static_cast<std::size_t>(std::ranges::count(text, '\n')) + (!text.empty() && text.back() != '\n');
    BOOST_REQUIRE(map.mappings.size() + map.malformed == lines);
    for (const MemoryMapping& mapping : map.mappings) BOOST_REQUIRE(mapping.start < mapping.limit);
  }
}

BOOST_AUTO_TEST_SUITE_END()
