// SPDX-License-Identifier: Apache-2.0
// Broken and hostile files, through all that reads them.
#include <elf.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>

#include "common/clock.h"
#include "common/file.h"
#include "tests/worker/symbolize/symbol_oracle.h"
#include "worker/symbolize/module.h"

using namespace pilotlight;

namespace {

std::string good_file() { return read_file(test::program_path("symbols_program_pie")).value(); }

/// Reads a file's image and looks up many addresses; false if it is no ELF file.
bool survives(const std::string& text) {
  std::vector<std::byte> image(text.size());
  if (!text.empty()) std::memcpy(image.data(), text.data(), text.size());
  const auto file = ElfFile::from_memory(std::move(image), "broken");
  if (!file) return false;
  const Module module(*file);
  std::size_t bytes = 0;
  for (std::uint64_t offset = 0; offset < text.size() + 4096; offset += 8)
    if (const auto name = module.lookup(offset)) bytes += name->size();
  BOOST_REQUIRE(bytes < std::size_t{1} << 30);
  return true;
}

template <class Entry>
Entry entry_at(const std::string& text, std::uint64_t offset) {
  Entry entry{};
  std::memcpy(&entry, text.data() + offset, sizeof entry);
  return entry;
}

/// Offset of the header of a section in a good file.
std::uint64_t section_header_offset(const std::string& text, std::uint32_t type) {
  const auto header = entry_at<Elf64_Ehdr>(text, 0);
  for (std::uint64_t index = 0; index < header.e_shnum; ++index) {
    const std::uint64_t offset = header.e_shoff + index * sizeof(Elf64_Shdr);
    if (entry_at<Elf64_Shdr>(text, offset).sh_type == type) return offset;
  }
  return 0;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hostile_elf)

BOOST_AUTO_TEST_CASE(the_good_file_is_read) { BOOST_TEST(survives(good_file())); }

BOOST_AUTO_TEST_CASE(a_file_cut_at_every_64th_byte) {
  const std::string good = good_file();
  std::size_t read = 0;
  for (std::size_t size = 0; size < good.size(); size += 64) read += survives(good.substr(0, size));
  BOOST_TEST(read > 0U);
}

BOOST_AUTO_TEST_CASE(flipped_bytes_in_2000_variants) {
  const std::string good = good_file();
  const auto header = entry_at<Elf64_Ehdr>(good, 0);
  const auto symbols = entry_at<Elf64_Shdr>(good, section_header_offset(good, SHT_SYMTAB));
  std::mt19937_64 random(1);
  std::size_t read = 0;
  for (int variant = 0; variant < 2000; ++variant) {
    std::string text = good;
    for (auto flips = 1 + random() % 16; flips > 0; --flips) {
      std::size_t at = random() % text.size();
      if (flips % 4 == 1) at = header.e_shoff + random() % (header.e_shnum * sizeof(Elf64_Shdr));
      if (flips % 4 == 2) at = symbols.sh_offset + random() % symbols.sh_size;
      if (flips % 4 == 3) at = random() % (sizeof(Elf64_Ehdr) + header.e_phnum * sizeof(Elf64_Phdr));
      text[at] = static_cast<char>(random());
    }
    read += survives(text);
  }
  BOOST_TEST(read > 500U);
}

BOOST_AUTO_TEST_CASE(each_field_of_a_table_of_symbols_at_its_extremes) {
  const std::string good = good_file();
  for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM, SHT_STRTAB, SHT_RELA}) {
    const std::uint64_t at = section_header_offset(good, type);
    BOOST_REQUIRE(at != 0);
    for (std::size_t field = 0; field < sizeof(Elf64_Shdr); field += 4) {
      for (const std::uint32_t value : {0U, 1U, 8U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
        std::string text = good;
        std::memcpy(text.data() + at + field, &value, sizeof value);
        survives(text);
        std::memset(text.data() + at + field, 0xff, std::min<std::size_t>(8, sizeof(Elf64_Shdr) - field));
        BOOST_TEST(survives(text));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_function_that_claims_to_be_endless_ends_with_its_section) {
  std::string text = good_file();
  const auto section = entry_at<Elf64_Shdr>(text, section_header_offset(text, SHT_SYMTAB));
  for (std::uint64_t at = section.sh_offset; at < section.sh_offset + section.sh_size;
       at += sizeof(Elf64_Sym)) {
    auto symbol = entry_at<Elf64_Sym>(text, at);
    symbol.st_size = UINT64_MAX;
    std::memcpy(text.data() + at, &symbol, sizeof symbol);
  }
  std::vector<std::byte> image(text.size());
  std::memcpy(image.data(), text.data(), text.size());
  const auto file = ElfFile::from_memory(std::move(image), "endless");
  const ElfSymbols symbols = ElfSymbols::read(*file);
  const ElfSection& code = *file->section_named(".text");
  const ElfSection& data = *file->section_named(".rodata");
  BOOST_TEST(symbols.lookup(code.address + code.size - 1).has_value());
  // Another section with a function of its own may follow.
  BOOST_TEST((symbols.lookup(code.address + code.size) != symbols.lookup(code.address + code.size - 1)));
  for (std::uint64_t offset = 0; offset < data.size; ++offset)
    BOOST_REQUIRE(!symbols.lookup(data.address + offset).has_value());
}

BOOST_AUTO_TEST_CASE(endless_names_at_one_address_are_bounded) {
  // A table of symbols that all lie at one address, with names that are the ends of one name of 8 MiB.
  std::string text = good_file();
  const auto at = section_header_offset(text, SHT_SYMTAB);
  auto section = entry_at<Elf64_Shdr>(text, at);
  const auto header = entry_at<Elf64_Ehdr>(text, 0);
  const std::uint64_t names_at = header.e_shoff + section.sh_link * sizeof(Elf64_Shdr);
  auto names = entry_at<Elf64_Shdr>(text, names_at);
  const std::uint64_t code = entry_at<Elf64_Ehdr>(text, 0).e_entry;
  constexpr std::uint32_t count = 200'000;
  names.sh_offset = text.size();
  names.sh_size = 8 << 20;
  text.append(names.sh_size, 'a');
  section.sh_offset = text.size();
  section.sh_size = count * sizeof(Elf64_Sym);
  for (std::uint32_t index = 0; index < count; ++index) {
    const Elf64_Sym symbol{.st_name = index % 64,
                           .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                           .st_other = 0,
                           .st_shndx = 1,
                           .st_value = code + index % 4,
                           .st_size = 100 + index % 3};
    text.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
  }
  std::memcpy(text.data() + at, &section, sizeof section);
  std::memcpy(text.data() + names_at, &names, sizeof names);
  const auto start = MonotonicClock::now();
  BOOST_TEST(survives(text));
  BOOST_TEST((MonotonicClock::now() - start < std::chrono::seconds(20)));
}

BOOST_AUTO_TEST_SUITE_END()
