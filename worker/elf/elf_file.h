// SPDX-License-Identifier: Apache-2.0
//
// A checked, read-only view of one 64-bit little-endian ELF file (gABI chapters 4 and 5, elf(5)). The file is
// foreign: every offset and size in it is checked, and it is read by pread(2), never mapped, so that a file
// that is truncated meanwhile gives an Error and not SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/unique_handle.h"

namespace pilotlight {

/// A program header.
struct ElfSegment {
  std::uint32_t type = 0;   ///< PT_…
  std::uint32_t flags = 0;  ///< PF_…
  std::uint64_t file_offset = 0;
  std::uint64_t file_size = 0;
  std::uint64_t address = 0;  ///< virtual
  std::uint64_t memory_size = 0;
};

/// A section header.
struct ElfSection {
  std::string name;         ///< cut after 64 bytes
  std::uint32_t type = 0;   ///< SHT_…
  std::uint64_t flags = 0;  ///< SHF_…
  std::uint64_t address = 0;
  std::uint64_t file_offset = 0;
  std::uint64_t size = 0;       ///< bytes
  std::uint32_t link = 0;       ///< index of the section that this one refers to
  std::uint64_t alignment = 0;  ///< of the address
  std::uint64_t entry_size = 0;

  [[nodiscard]] bool is_executable() const;
};

/// Virtual address of a byte of the file, through the PT_LOAD segments. Where two hold it, an executable one
/// counts.
std::optional<std::uint64_t> address_of(std::span<const ElfSegment> segments, std::uint64_t file_offset);

class ElfFile {
 public:
  /// Opens a regular file. Anything else (a device, a pipe) is refused without being opened.
  static Result<ElfFile> open(const std::string& path);

  /// Takes over a descriptor of a regular file. `name` is for messages.
  static Result<ElfFile> from_fd(UniqueFd fd, std::string name);

  /// An image of a file in memory, such as the vdso.
  static Result<ElfFile> from_memory(std::vector<std::byte> image, std::string name);

  [[nodiscard]] std::uint16_t machine() const { return machine_; }  ///< EM_…
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::span<const ElfSegment> segments() const { return segments_; }

  /// By section index; empty if the section headers were stripped.
  [[nodiscard]] std::span<const ElfSection> sections() const { return sections_; }

  /// First section with this name or type; null if there is none.
  [[nodiscard]] const ElfSection* section_named(std::string_view name) const;
  [[nodiscard]] const ElfSection* section_of_type(std::uint32_t type) const;

  /// Fills `bytes` from this offset of the file. Fails at its end.
  [[nodiscard]] Result<void> read_at(std::uint64_t offset, std::span<std::byte> bytes) const;

  /// Content of a section. Fails if it is larger than the limit or reaches beyond the file, and for
  /// SHT_NOBITS and compressed sections.
  [[nodiscard]] Result<std::vector<std::byte>> contents(const ElfSection& section,
                                                        std::uint64_t size_limit) const;

 private:
  ElfFile(UniqueFd fd, std::vector<std::byte> image, std::uint64_t size, std::string name);
  Result<void> read_headers();
  Result<void> check_identification() const;
  [[nodiscard]] std::unexpected<Error> invalid(const std::string& why) const;

  UniqueFd fd_;
  std::vector<std::byte> image_;  ///< used instead of fd_ for an image in memory
  std::uint64_t size_ = 0;
  std::string name_;
  std::uint16_t machine_ = 0;
  std::vector<ElfSegment> segments_;
  std::vector<ElfSection> sections_;
};

}  // namespace pilotlight
