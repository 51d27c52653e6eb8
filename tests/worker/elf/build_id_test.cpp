// SPDX-License-Identifier: Apache-2.0
#include "worker/elf/build_id.h"

#include <elf.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <vector>

#include "tests/support/child.h"
#include "tests/support/requires.h"

using namespace pilotlight;

namespace {

struct Note {
  std::string owner;
  std::uint32_t type = 0;
  std::string descriptor;
};

void append(std::vector<std::byte>& bytes, const void* data, std::size_t size) {
  const auto* begin = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), begin, begin + size);
  while (bytes.size() % 4 != 0) bytes.push_back(std::byte{});
}

/// An ELF file that is nothing but a segment of notes.
ElfFile file_of(const std::vector<Note>& notes, std::size_t cut = 0) {
  std::vector<std::byte> image(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr));
  for (const Note& note : notes) {
    const Elf64_Nhdr header{.n_namesz = static_cast<Elf64_Word>(note.owner.size()),
                            .n_descsz = static_cast<Elf64_Word>(note.descriptor.size()),
                            .n_type = note.type};
    append(image, &header, sizeof header);
    append(image, note.owner.data(), note.owner.size());
    append(image, note.descriptor.data(), note.descriptor.size());
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phoff = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  segment.p_filesz = image.size() - segment.p_offset - cut;
  std::memcpy(image.data(), &header, sizeof header);
  std::memcpy(image.data() + sizeof header, &segment, sizeof segment);
  return ElfFile::from_memory(std::move(image), "notes").value();
}

const std::string gnu("GNU\0", 4);
const Note build_id_note{.owner = gnu, .type = NT_GNU_BUILD_ID, .descriptor = "\x01\xAB\xcd\xEF\x7f"};

}  // namespace

BOOST_AUTO_TEST_SUITE(build_id)

BOOST_AUTO_TEST_CASE(is_what_readelf_shows, *boost::unit_test::precondition(test::NeedsProgram{"readelf"})) {
  for (const std::string path :
       {"/bin/true", "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"}) {
    const std::string shown = test::run_to_end({test::find_program("readelf"), "-n", path}).standard_output;
    constexpr std::string_view label = "Build ID: ";
    const auto at = shown.find(label);
    BOOST_REQUIRE(at != std::string::npos);
    const auto begin = at + label.size();
    BOOST_TEST(read_build_id(*ElfFile::open(path)).value() ==
               shown.substr(begin, shown.find('\n', at) - begin));
  }
}

BOOST_AUTO_TEST_CASE(is_in_lower_case_and_keeps_leading_zeros) {
  BOOST_TEST(read_build_id(file_of({build_id_note})).value() == "01abcdef7f");
}

BOOST_AUTO_TEST_CASE(other_notes_are_passed_over) {
  const Note property{.owner = gnu, .type = NT_GNU_PROPERTY_TYPE_0, .descriptor = std::string(16, 'p')};
  const Note other_owner{.owner = std::string("Go\0\0", 4), .type = NT_GNU_BUILD_ID, .descriptor = "x"};
  const Note odd_length{.owner = std::string("stapsdt\0", 8), .type = 3, .descriptor = "12345"};
  BOOST_TEST(read_build_id(file_of({property, other_owner, odd_length, build_id_note})).value() ==
             "01abcdef7f");
  BOOST_TEST(!read_build_id(file_of({property, other_owner, odd_length})).has_value());
}

BOOST_AUTO_TEST_CASE(malformed_notes_give_none) {
  BOOST_TEST(
      !read_build_id(file_of({build_id_note}, 4)).has_value());  // the descriptor reaches beyond the segment
  BOOST_TEST(
      !read_build_id(file_of({{.owner = gnu, .type = NT_GNU_BUILD_ID, .descriptor = ""}})).has_value());
  BOOST_TEST(
      !read_build_id(file_of({{.owner = gnu, .type = NT_GNU_BUILD_ID, .descriptor = std::string(65, 'x')}}))
           .has_value());
  BOOST_TEST(!read_build_id(file_of({})).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
