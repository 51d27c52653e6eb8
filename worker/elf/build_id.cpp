// SPDX-License-Identifier: Apache-2.0
#include "worker/elf/build_id.h"

#include <elf.h>

#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace pilotlight {

namespace {

constexpr std::uint64_t notes_limit_bytes = 1 << 16;
constexpr std::size_t build_id_limit_bytes = 64;

std::string to_hexadecimal(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text.push_back(digits[std::to_integer<std::size_t>(byte >> 4)]);
    text.push_back(digits[std::to_integer<std::size_t>(byte & std::byte{15})]);
  }
  return text;
}

/// Name and descriptor of a note are padded to 4 bytes; in .note.gnu.property, the one that uses 8, the sizes
/// come out the same.
constexpr std::uint64_t padded(std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; }

std::optional<std::string> find_build_id(std::span<const std::byte> notes) {
  constexpr std::string_view owner("GNU\0", 4);
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header{};
    std::memcpy(&header, notes.data(), sizeof header);
    notes = notes.subspan(sizeof header);
    const std::uint64_t name_size = padded(header.n_namesz);
    if (name_size > notes.size() || header.n_descsz > notes.size() - name_size) return std::nullopt;
    const auto descriptor = notes.subspan(name_size, header.n_descsz);
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == owner.size() &&
        std::memcmp(notes.data(), owner.data(), owner.size()) == 0 && !descriptor.empty() &&
        descriptor.size() <= build_id_limit_bytes)
      return to_hexadecimal(descriptor);
    notes = notes.subspan(std::min<std::uint64_t>(notes.size(), name_size + padded(header.n_descsz)));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> read_build_id(const ElfFile& file) {
  for (const ElfSegment& segment : file.segments()) {
    if (segment.type != PT_NOTE || segment.file_size > notes_limit_bytes) continue;
    std::vector<std::byte> notes(segment.file_size);
    if (!file.read_at(segment.file_offset, notes)) continue;
    if (auto found = find_build_id(notes)) return found;
  }
  if (const ElfSection* section = file.section_named(".note.gnu.build-id"))
    if (const auto notes = file.contents(*section, notes_limit_bytes)) return find_build_id(*notes);
  return std::nullopt;
}

}  // namespace pilotlight
