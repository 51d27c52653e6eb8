// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/plt_stubs.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "worker/elf/elf_entries.h"

namespace pilotlight {

namespace {

using NameOf = std::function<std::optional<std::string_view>(std::uint64_t)>;

constexpr std::uint64_t section_limit_bytes = 64 << 20;
constexpr std::size_t name_limit_bytes = 16 << 10;
constexpr std::uint64_t names_limit_bytes = 64 << 20;  ///< of all stubs

/// Reads one little-endian value that may lie at any byte.
template <class Value>
Value value_at(std::span<const std::byte> bytes, std::size_t offset) {
  Value value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Up to a limit that no real file comes near.
template <class Entry, class Predicate>
void append_entries(const ElfFile& file, const ElfSection* section, std::vector<Entry>& entries,
                    Predicate wanted) {
  constexpr std::size_t entry_limit = 1 << 20;
  if (section == nullptr) return;
  for_each_entry<Entry>(file, *section, [&](const Entry& entry) {
    if (wanted(entry)) entries.push_back(entry);
    return entries.size() < entry_limit;
  });
}

/// Which function each slot of the global offset table is filled with.
class Slots {
 public:
  Slots(const ElfFile& file, const NameOf& name_of) : name_of_(name_of) {
    const auto all = [](const auto&) { return true; };
    const auto is_address = [](const Elf64_Rela& entry) {
      return ELF64_R_TYPE(entry.r_info) == R_X86_64_GLOB_DAT;
    };
    append_entries(file, file.section_named(".rela.plt"), jump_slots_, all);
    by_address_ = jump_slots_;
    append_entries(file, file.section_named(".rela.dyn"), by_address_, is_address);
    std::ranges::sort(by_address_, {},
                      [](const Elf64_Rela& entry) { return std::pair(entry.r_offset, entry.r_info); });
    const ElfSection* symbols = file.section_of_type(SHT_DYNSYM);
    if (symbols == nullptr || symbols->link >= file.sections().size()) return;
    append_entries(file, symbols, symbols_, all);
    names_ =
        file.contents(file.sections()[symbols->link], section_limit_bytes).value_or(std::vector<std::byte>());
  }

  [[nodiscard]] std::string function_at(std::uint64_t slot) const {
    const auto found = std::ranges::lower_bound(by_address_, slot, {}, &Elf64_Rela::r_offset);
    return found == by_address_.end() || found->r_offset != slot ? std::string() : function_of(*found);
  }

  /// By the index that a lazily bound stub pushes for the dynamic linker.
  [[nodiscard]] std::string function_of_index(std::uint32_t index) const {
    return index < jump_slots_.size() ? function_of(jump_slots_[index]) : std::string();
  }

 private:
  [[nodiscard]] std::string function_of(const Elf64_Rela& entry) const {
    if (ELF64_R_TYPE(entry.r_info) == R_X86_64_IRELATIVE)
      return std::string(name_of_(static_cast<std::uint64_t>(entry.r_addend)).value_or(std::string_view()));
    const std::uint64_t index = ELF64_R_SYM(entry.r_info);
    if (index >= symbols_.size() || symbols_[index].st_name >= names_.size()) return {};
    const char* begin = reinterpret_cast<const char*>(names_.data()) + symbols_[index].st_name;
    return {begin, ::strnlen(begin, std::min(names_.size() - symbols_[index].st_name, name_limit_bytes))};
  }

  const NameOf& name_of_;
  std::vector<Elf64_Rela> jump_slots_;  ///< in the order of the file
  std::vector<Elf64_Rela> by_address_;
  std::vector<Elf64_Sym> symbols_;
  std::vector<std::byte> names_;
};

/// The function that one stub's code jumps to; empty if that cannot be told.
std::string function_of_stub(std::span<const std::byte> code, std::uint64_t address, const Slots& slots) {
  constexpr std::byte jump_indirect[] = {std::byte{0xff}, std::byte{0x25}};  // jmp *displacement(%rip)
  constexpr std::byte push_index{0x68};
  constexpr std::byte end_branch[] = {std::byte{0xf3}, std::byte{0x0f}, std::byte{0x1e}, std::byte{0xfa}};
  constexpr std::size_t jump_size = 6;
  for (std::size_t at = 0; at + jump_size <= code.size(); ++at) {
    if (!std::ranges::equal(code.subspan(at, 2), jump_indirect)) continue;
    const std::uint64_t next = address + at + jump_size;
    return slots.function_at(next +
                             static_cast<std::uint64_t>(std::int64_t{value_at<std::int32_t>(code, at + 2)}));
  }
  // With .plt.sec, the entries of .plt only push the index of the relocation and jump to the first one.
  const std::size_t at =
      std::ranges::equal(code.first(std::min<std::size_t>(code.size(), 4)), end_branch) ? 4 : 0;
  if (at + 5 > code.size() || code[at] != push_index) return {};
  return slots.function_of_index(value_at<std::uint32_t>(code, at + 1));
}

std::uint32_t stub_size(const ElfSection& section) {
  if (section.entry_size == 8 || section.entry_size == 16)
    return static_cast<std::uint32_t>(section.entry_size);
  return section.alignment == 8 ? 8 : 16;  // static programs leave the size of entries out
}

}  // namespace

std::vector<PltStub> read_plt_stubs(const ElfFile& file, const NameOf& name_of) {
  std::vector<PltStub> stubs;
  if (file.machine() != EM_X86_64) return stubs;
  std::optional<Slots> slots;
  std::uint64_t name_bytes = 0;
  for (const ElfSection& section : file.sections()) {
    constexpr std::array<std::string_view, 3> names = {".plt", ".plt.sec", ".plt.got"};
    if (!section.is_executable() || std::ranges::find(names, section.name) == names.end()) continue;
    const auto code = file.contents(section, section_limit_bytes);
    if (!code) continue;
    if (!slots) slots.emplace(file, name_of);
    const std::uint32_t size = stub_size(section);
    for (std::size_t offset = 0; offset + size <= code->size(); offset += size) {
      const std::uint64_t address = section.address + offset;
      std::string function = function_of_stub(std::span(*code).subspan(offset, size), address, *slots);
      name_bytes += function.size();
      if (name_bytes > names_limit_bytes) return stubs;
      if (!function.empty())
        stubs.push_back({.address = address, .size = size, .function = std::move(function)});
    }
  }
  return stubs;
}

}  // namespace pilotlight
