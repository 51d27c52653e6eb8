// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/module.h"

#include "worker/elf/build_id.h"

namespace pilotlight {

Module::Module(const ElfFile& file)
    : segments_(file.segments().begin(), file.segments().end()),
      symbols_(ElfSymbols::read(file)),
      build_id_(read_build_id(file).value_or(std::string())) {}

std::optional<std::string_view> Module::lookup(std::uint64_t file_offset) const {
  const auto address = address_of(segments_, file_offset);
  return address ? symbols_.lookup(*address) : std::nullopt;
}

std::size_t Module::bytes() const {
  return sizeof *this + segments_.capacity() * sizeof(ElfSegment) + symbols_.bytes();
}

}  // namespace pilotlight
