// SPDX-License-Identifier: Apache-2.0
#include "worker/elf/elf_file.h"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>

#include "common/file.h"
#include "tests/support/temporary_directory.h"
#include "worker/elf/build_id.h"

using namespace pilotlight;

namespace {

constexpr auto own_program = "/proc/self/exe";

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/// A small real program.
std::string small_program() { return read_file("/bin/true").value(); }

/// Uses everything of a file that could be opened.
void exercise(const ElfFile& file) {
  read_build_id(file);
  for (const ElfSection& section : file.sections())
    if (const auto content = file.contents(section, 1 << 20)) BOOST_REQUIRE(content->size() == section.size);
  for (std::uint64_t offset = 0; offset < 1 << 20; offset += 4096) address_of(file.segments(), offset);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(elf_file)

BOOST_AUTO_TEST_CASE(segments_are_those_the_loader_uses) {
  const auto file = ElfFile::open(own_program);
  BOOST_REQUIRE(file.has_value());
  BOOST_TEST(file->machine() == (sizeof(void*) == 8 ? EM_X86_64 : EM_NONE));
  const auto compare = [](dl_phdr_info* info, std::size_t, void* argument) {
    const auto& own = *static_cast<const ElfFile*>(argument);
    BOOST_REQUIRE(own.segments().size() == info->dlpi_phnum);
    for (std::size_t index = 0; index < info->dlpi_phnum; ++index) {
      const ElfSegment& segment = own.segments()[index];
      BOOST_TEST(segment.type == info->dlpi_phdr[index].p_type);
      BOOST_TEST(segment.flags == info->dlpi_phdr[index].p_flags);
      BOOST_TEST(segment.file_offset == info->dlpi_phdr[index].p_offset);
      BOOST_TEST(segment.file_size == info->dlpi_phdr[index].p_filesz);
      BOOST_TEST(segment.address == info->dlpi_phdr[index].p_vaddr);
      BOOST_TEST(segment.memory_size == info->dlpi_phdr[index].p_memsz);
    }
    return 1;  // the program comes first, and is all that is asked for
  };
  ::dl_iterate_phdr(compare, const_cast<ElfFile*>(&*file));
}

BOOST_AUTO_TEST_CASE(finds_sections_by_name_and_type) {
  const auto file = ElfFile::open(own_program);
  BOOST_REQUIRE(file.has_value());
  const ElfSection* text = file->section_named(".text");
  BOOST_REQUIRE(text != nullptr);
  BOOST_TEST(text->is_executable());
  BOOST_TEST(!file->section_named(".rodata")->is_executable());
  BOOST_TEST(file->section_of_type(SHT_SYMTAB) == file->section_named(".symtab"));
  BOOST_TEST(file->section_named(".no_such_section") == nullptr);
  BOOST_TEST(file->section_of_type(SHT_GROUP) == nullptr);
}

BOOST_AUTO_TEST_CASE(contents_are_the_bytes_of_the_section) {
  const auto file = ElfFile::open(own_program);
  const auto content = file->contents(*file->section_named(".interp"), 4096);
  BOOST_REQUIRE(content.has_value());
  const std::string_view text(reinterpret_cast<const char*>(content->data()), content->size() - 1);
  BOOST_TEST(text.starts_with("/lib"));
  BOOST_TEST(::access(std::string(text).c_str(), X_OK) == 0);
  BOOST_TEST(!file->contents(*file->section_named(".interp"), content->size() - 1).has_value());
  BOOST_TEST(!file->contents(*file->section_named(".bss"), 1 << 20).has_value());
}

BOOST_AUTO_TEST_CASE(file_offsets_become_addresses_by_the_segment_that_holds_them) {
  const std::vector<ElfSegment> segments = {
      {.type = PT_PHDR,
       .flags = PF_R,
       .file_offset = 0,
       .file_size = 0x9000,
       .address = 0x77,
       .memory_size = 0x9000},
      {.type = PT_LOAD,
       .flags = PF_R,
       .file_offset = 0,
       .file_size = 0x1000,
       .address = 0x400000,
       .memory_size = 0x1000},
      {.type = PT_LOAD,
       .flags = PF_R | PF_X,
       .file_offset = 0x1800,
       .file_size = 0x100,
       .address = 0x402800,
       .memory_size = 0x5000},
      {.type = PT_LOAD,
       .flags = PF_R | PF_W,
       .file_offset = 0x10c0,
       .file_size = 0x800,
       .address = 0x5010c0,
       .memory_size = 0x800},
  };
  BOOST_TEST(address_of(segments, 0xfff).value() == 0x400fffU);
  BOOST_TEST(!address_of(segments, 0x1000).has_value());
  BOOST_TEST(address_of(segments, 0x1800).value() == 0x402800U);  // the executable one of two
  BOOST_TEST(address_of(segments, 0x10c0).value() == 0x5010c0U);
  BOOST_TEST(!address_of(segments, 0x1900).has_value());  // only in memory, not in the file
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_64_bit_little_endian_elf_file) {
  const test::TemporaryDirectory directory;
  const std::string good = small_program();
  const auto with = [&](std::size_t at, char value) {
    std::string changed = good;
    changed[at] = value;
    return ElfFile::from_memory(bytes_of(changed), "changed");
  };
  BOOST_TEST(with(EI_CLASS, ELFCLASS64).has_value());
  BOOST_TEST(!with(EI_CLASS, ELFCLASS32).has_value());
  BOOST_TEST(!with(EI_DATA, ELFDATA2MSB).has_value());
  BOOST_TEST(!with(EI_MAG1, 'e').has_value());
  BOOST_TEST(!ElfFile::from_memory({}, "empty").has_value());
  test::write_file(directory / "script",
                   "#!/bin/sh\necho a script that is longer than an ELF header, so that it can be read\n");
  BOOST_TEST(!ElfFile::open(directory / "script").has_value());
  BOOST_TEST(!ElfFile::open(directory / "missing").has_value());
}

BOOST_AUTO_TEST_CASE(a_file_and_its_image_in_memory_read_the_same) {
  const auto from_file = ElfFile::open("/bin/true");
  const auto from_memory = ElfFile::from_memory(bytes_of(small_program()), "image");
  BOOST_REQUIRE((from_file && from_memory));
  BOOST_TEST(read_build_id(*from_file).value() == read_build_id(*from_memory).value());
  BOOST_REQUIRE(from_file->sections().size() == from_memory->sections().size());
  for (std::size_t index = 0; index < from_file->sections().size(); ++index) {
    BOOST_TEST(from_file->sections()[index].name == from_memory->sections()[index].name);
    BOOST_TEST(from_file->sections()[index].address == from_memory->sections()[index].address);
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_shrinks_while_it_is_open_gives_an_error) {
  const test::TemporaryDirectory directory;
  test::write_file(directory / "program", small_program());
  const auto file = ElfFile::open(directory / "program");
  BOOST_REQUIRE(file.has_value());
  BOOST_TEST(file->contents(*file->section_named(".text"), 1 << 20).has_value());
  BOOST_REQUIRE(::truncate((directory / "program").c_str(), 4096) == 0);
  const auto content = file->contents(*file->section_named(".text"), 1 << 20);
  BOOST_REQUIRE(!content.has_value());
  BOOST_TEST(content.error().message().find("cut short") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_file_cut_anywhere_does_no_harm) {
  const std::string good = small_program();
  std::size_t opened = 0;
  for (std::size_t size = 0; size < good.size(); size += 64) {
    const auto file = ElfFile::from_memory(bytes_of(good.substr(0, size)), "cut");
    if (!file) continue;
    exercise(*file);
    BOOST_REQUIRE(file->section_named(".text") == nullptr);  // the section headers are the end of the file
    ++opened;
  }
  BOOST_TEST(opened > 0U);
}

BOOST_AUTO_TEST_CASE(a_file_on_disk_cut_anywhere_does_no_harm) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "program";
  test::write_file(path, small_program());
  for (auto size = static_cast<off_t>(small_program().size()); size >= 0; size -= 64) {
    BOOST_REQUIRE(::truncate(path.c_str(), size) == 0);
    if (const auto file = ElfFile::open(path)) exercise(*file);
  }
}

BOOST_AUTO_TEST_CASE(flipped_bytes_do_no_harm) {
  const std::string good = small_program();
  const auto file = ElfFile::from_memory(bytes_of(good), "good");
  std::mt19937 random(1);
  // Most of a file is code, where a flip tells nothing: half of the flips go to the headers.
  std::size_t opened = 0;
  for (int variant = 0; variant < 2000; ++variant) {
    std::string changed = good;
    for (auto flips = 1 + random() % 8; flips > 0; --flips) {
      const std::size_t headers = 64 + file->segments().size() * sizeof(Elf64_Phdr);
      const std::size_t section_headers = file->sections().size() * sizeof(Elf64_Shdr);
      std::size_t at = random() % good.size();
      if (flips % 4 == 1) at = random() % headers;
      if (flips % 4 == 2) at = good.size() - 1 - random() % section_headers;
      changed[at] = static_cast<char>(random());
    }
    if (const auto broken = ElfFile::from_memory(bytes_of(changed), "broken")) {
      exercise(*broken);
      ++opened;
    }
  }
  BOOST_TEST(opened > 500U);
}

BOOST_AUTO_TEST_CASE(counts_and_sizes_beyond_the_file_cost_nothing) {
  const std::string good = small_program();
  const auto with_header = [&](auto change) {
    std::string changed = good;
    Elf64_Ehdr header{};
    std::memcpy(&header, changed.data(), sizeof header);
    change(header);
    std::memcpy(changed.data(), &header, sizeof header);
    return ElfFile::from_memory(bytes_of(changed), "changed");
  };
  BOOST_TEST(!with_header([](Elf64_Ehdr& header) { header.e_shnum = 0xfeff; }).has_value());
  BOOST_TEST(!with_header([](Elf64_Ehdr& header) { header.e_shnum = 0; }).has_value());
  BOOST_TEST(!with_header([](Elf64_Ehdr& header) { header.e_phnum = 0xffff; }).has_value());
  const auto far = with_header([](Elf64_Ehdr& header) { header.e_shoff = UINT64_MAX - 8; });
  BOOST_TEST((!far || far->sections().empty()));
  const auto stripped =
      with_header([](Elf64_Ehdr& header) { header.e_shoff = header.e_shnum = header.e_shstrndx = 0; });
  BOOST_REQUIRE(stripped.has_value());
  BOOST_TEST(stripped->sections().empty());
  BOOST_TEST(read_build_id(*stripped).value() == read_build_id(*ElfFile::open("/bin/true")).value());

  const auto file = ElfFile::from_memory(bytes_of(good), "good");
  ElfSection huge = *file->section_named(".text");
  huge.size = UINT64_MAX;
  BOOST_TEST(!file->contents(huge, UINT64_MAX).has_value());
  huge.file_offset = UINT64_MAX - 1;
  huge.size = 16;
  BOOST_TEST(!file->contents(huge, UINT64_MAX).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
