// SPDX-License-Identifier: Apache-2.0
#include "worker/elf/elf_file.h"

#include <elf.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "worker/elf/regular_file.h"

namespace pilotlight {

namespace {

// Executables have tens of sections and segments; only object files compiled with -ffunction-sections have
// thousands.
constexpr std::size_t section_limit = 16'384;
constexpr std::size_t segment_limit = 1'024;
constexpr std::uint64_t section_names_limit_bytes = 4 << 20;
constexpr std::size_t section_name_limit_bytes = 64;

struct ElfDeleter {
  void operator()(Elf* elf) const { ::elf_end(elf); }
};
using UniqueElf = std::unique_ptr<Elf, ElfDeleter>;

std::string name_at(const std::vector<std::byte>& names, std::uint64_t offset) {
  if (offset >= names.size()) return {};
  const char* begin = reinterpret_cast<const char*>(names.data()) + offset;
  return {begin, ::strnlen(begin, std::min<std::size_t>(names.size() - offset, section_name_limit_bytes))};
}

std::vector<ElfSegment> read_segments(Elf* elf, std::size_t count) {
  std::vector<ElfSegment> segments;
  for (std::size_t index = 0; index < count; ++index) {
    GElf_Phdr header{};
    if (::gelf_getphdr(elf, static_cast<int>(index), &header) == nullptr) break;
    segments.push_back({.type = header.p_type,
                        .flags = header.p_flags,
                        .file_offset = header.p_offset,
                        .file_size = header.p_filesz,
                        .address = header.p_vaddr,
                        .memory_size = header.p_memsz});
  }
  return segments;
}

/// The sections, their names still missing, and where those are in the table of names.
std::pair<std::vector<ElfSection>, std::vector<std::uint32_t>> read_sections(Elf* elf, std::size_t count) {
  std::vector<ElfSection> sections;
  std::vector<std::uint32_t> name_offsets;
  for (std::size_t index = 0; index < count; ++index) {
    // Not elf64_getshdr(): of an image in memory it returns a pointer that can be misaligned.
    GElf_Shdr header{};
    if (::gelf_getshdr(::elf_getscn(elf, index), &header) == nullptr) break;
    sections.push_back({.name = {},
                        .type = header.sh_type,
                        .flags = header.sh_flags,
                        .address = header.sh_addr,
                        .file_offset = header.sh_offset,
                        .size = header.sh_size,
                        .link = header.sh_link,
                        .alignment = header.sh_addralign,
                        .entry_size = header.sh_entsize});
    name_offsets.push_back(header.sh_name);
  }
  return {std::move(sections), std::move(name_offsets)};
}

}  // namespace

bool ElfSection::is_executable() const { return (flags & SHF_ALLOC) != 0 && (flags & SHF_EXECINSTR) != 0; }

Result<ElfFile> ElfFile::open(const std::string& path) {
  auto fd = open_regular_file(path);
  if (!fd) return std::unexpected(std::move(fd.error()));
  return from_fd(std::move(*fd), path);
}

Result<ElfFile> ElfFile::from_fd(UniqueFd fd, std::string name) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return system_error("cannot examine " + name);
  if (!S_ISREG(status.st_mode)) return failure(name + " is not a regular file");
  ElfFile file(std::move(fd), {}, static_cast<std::uint64_t>(status.st_size), std::move(name));
  if (auto read = file.read_headers(); !read) return std::unexpected(std::move(read.error()));
  return file;
}

Result<ElfFile> ElfFile::from_memory(std::vector<std::byte> image, std::string name) {
  const std::uint64_t size = image.size();
  ElfFile file(UniqueFd(), std::move(image), size, std::move(name));
  if (auto read = file.read_headers(); !read) return std::unexpected(std::move(read.error()));
  return file;
}

ElfFile::ElfFile(UniqueFd fd, std::vector<std::byte> image, std::uint64_t size, std::string name)
    : fd_(std::move(fd)), image_(std::move(image)), size_(size), name_(std::move(name)) {}

std::unexpected<Error> ElfFile::invalid(const std::string& why) const { return failure(name_ + " " + why); }

Result<void> ElfFile::check_identification() const {
  Elf64_Ehdr header{};
  if (!read_at(0, std::as_writable_bytes(std::span(&header, 1)))) return invalid("is not an ELF file");
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return invalid("is not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return invalid("is not a 64-bit little-endian ELF file");
  // Checked before libelf sees the file: it allocates by the counts. Without e_shnum the count is in section
  // 0, which only files with more than 65,279 sections need.
  if (header.e_shnum > section_limit || (header.e_shnum == 0 && header.e_shoff != 0))
    return invalid("has too many sections");
  if (header.e_phnum > segment_limit) return invalid("has too many segments");
  return {};
}

Result<void> ElfFile::read_headers() {
  static_assert(std::endian::native == std::endian::little,
                "headers and symbols are read as they are in the file");
  if (auto checked = check_identification(); !checked) return checked;
  ::elf_version(EV_CURRENT);
  // elf_memory() takes a pointer to non-const, but writes only on elf_update().
  const UniqueElf elf(fd_ ? ::elf_begin(fd_.get(), ELF_C_READ, nullptr)
                          : ::elf_memory(reinterpret_cast<char*>(image_.data()), image_.size()));
  GElf_Ehdr header{};
  if (!elf || ::gelf_getehdr(elf.get(), &header) == nullptr) return invalid("has a broken ELF header");
  machine_ = header.e_machine;

  std::size_t segment_count = 0;
  std::size_t section_count = 0;
  std::size_t names_index = 0;
  if (::elf_getphdrnum(elf.get(), &segment_count) == 0 && segment_count <= segment_limit)
    segments_ = read_segments(elf.get(), segment_count);
  if (::elf_getshdrnum(elf.get(), &section_count) != 0 || section_count > section_limit) return {};
  auto [sections, name_offsets] = read_sections(elf.get(), section_count);
  sections_ = std::move(sections);
  if (::elf_getshdrstrndx(elf.get(), &names_index) != 0 || names_index >= sections_.size()) return {};
  const auto names = contents(sections_[names_index], section_names_limit_bytes);
  if (!names) return {};
  for (std::size_t index = 0; index < sections_.size(); ++index)
    sections_[index].name = name_at(*names, name_offsets[index]);
  return {};
}

const ElfSection* ElfFile::section_named(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &ElfSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

const ElfSection* ElfFile::section_of_type(std::uint32_t type) const {
  const auto found = std::ranges::find(sections_, type, &ElfSection::type);
  return found == sections_.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> address_of(std::span<const ElfSegment> segments, std::uint64_t file_offset) {
  std::optional<std::uint64_t> address;
  for (const ElfSegment& segment : segments) {
    if (segment.type != PT_LOAD || file_offset < segment.file_offset ||
        file_offset - segment.file_offset >= segment.file_size)
      continue;
    const std::uint64_t candidate = segment.address + (file_offset - segment.file_offset);
    if ((segment.flags & PF_X) != 0) return candidate;
    if (!address) address = candidate;
  }
  return address;
}

Result<void> ElfFile::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (offset > size_ || bytes.size() > size_ - offset) return invalid("is cut short");
  if (!fd_) {
    if (!bytes.empty()) std::memcpy(bytes.data(), image_.data() + offset, bytes.size());
    return {};
  }
  while (!bytes.empty()) {
    const ssize_t got = ::pread(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got == 0) return invalid("is cut short");
    if (got < 0 && errno != EINTR) return system_error("cannot read " + name_);
    if (got < 0) continue;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return {};
}

Result<std::vector<std::byte>> ElfFile::contents(const ElfSection& section, std::uint64_t size_limit) const {
  if (section.type == SHT_NOBITS || (section.flags & SHF_COMPRESSED) != 0)
    return invalid("has no plain content in its section " + section.name);
  if (section.size > size_limit) return invalid("has a section " + section.name + " too large to be read");
  if (section.file_offset > size_ || section.size > size_ - section.file_offset)
    return invalid("is cut short");
  std::vector<std::byte> bytes(section.size);
  if (auto read = read_at(section.file_offset, bytes); !read) return std::unexpected(std::move(read.error()));
  return bytes;
}

}  // namespace pilotlight
