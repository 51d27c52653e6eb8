// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/elf_symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "worker/elf/elf_entries.h"
#include "worker/symbolize/name_preference.h"
#include "worker/symbolize/plt_stubs.h"
#include "worker/symbolize/symbol_ranges.h"

namespace pilotlight {

namespace {

constexpr std::size_t function_limit = 4'000'000;
constexpr std::uint64_t name_table_limit_bytes = 256 << 20;
constexpr std::size_t name_pool_limit_bytes = 256 << 20;
// A table of names without zero bytes would make each name as long as itself.
constexpr std::size_t name_limit_bytes = 16 << 10;

/// A symbol that may become a function of the table.
struct Candidate {
  std::uint64_t address = 0;
  std::uint32_t size = 0;       ///< 0: a label
  std::uint32_t name = 0;       ///< offset in its table of names
  std::uint8_t table = 0;       ///< which table of names
  std::uint8_t binding = 0;     ///< 2 global, 1 weak, 0 local
  std::uint8_t complexity = 0;  ///< of the name
};

std::uint8_t binding_rank(unsigned binding) {
  if (binding == STB_LOCAL) return 0;
  return binding == STB_WEAK ? 1 : 2;
}

struct AddressRange {
  std::uint64_t address = 0;
  std::uint64_t limit = 0;
};

/// Sections with code, sorted, to tell code from data and where a symbol has to end.
class CodeSections {
 public:
  explicit CodeSections(const ElfFile& file) {
    for (const ElfSection& section : file.sections())
      if (section.is_executable() && section.size != 0 && section.size <= UINT64_MAX - section.address)
        ranges_.push_back({.address = section.address, .limit = section.address + section.size});
    std::ranges::sort(ranges_, {}, &AddressRange::address);
  }

  /// End of the section that holds the address; 0 if none does.
  [[nodiscard]] std::uint64_t limit_at(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(ranges_, address, {}, &AddressRange::address);
    if (after == ranges_.begin()) return 0;
    const AddressRange& range = *std::prev(after);
    return address < range.limit ? range.limit : 0;
  }

 private:
  std::vector<AddressRange> ranges_;
};

/// Symbols and names of .symtab and .dynsym.
class Candidates {
 public:
  explicit Candidates(const ElfFile& file) : file_(file), code_(file) {
    for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM})
      if (const ElfSection* section = file.section_of_type(type)) read(*section);
    std::ranges::sort(
        all_, [this](const Candidate& first, const Candidate& second) { return is_before(first, second); });
  }

  [[nodiscard]] std::string_view name(const Candidate& candidate) const {
    const auto& names = name_tables_[candidate.table];
    const char* begin = reinterpret_cast<const char*>(names.data()) + candidate.name;
    return {begin, ::strnlen(begin, std::min(names.size() - candidate.name, name_limit_bytes))};
  }

  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] const Candidate& operator[](std::uint32_t index) const { return all_[index]; }

  /// Those with a size or those without, named by their index, with the preferred one last of an address.
  [[nodiscard]] std::vector<SymbolExtent> extents(bool with_size) const {
    std::vector<SymbolExtent> result;
    for (std::uint32_t index = 0; index < all_.size(); ++index) {
      const Candidate& candidate = all_[index];
      if ((candidate.size != 0) != with_size) continue;
      const std::uint64_t limit = code_.limit_at(candidate.address);
      result.push_back({.address = candidate.address,
                        .limit = with_size ? std::min(limit, candidate.address + candidate.size) : limit,
                        .name = index});
    }
    return result;
  }

 private:
  void read(const ElfSection& section) {
    if (section.link >= file_.sections().size()) return;
    auto names = file_.contents(file_.sections()[section.link], name_table_limit_bytes);
    if (!names) return;
    name_tables_.push_back(std::move(*names));
    // Linkers let names share their ends, but in a sane file the sum of all lengths stays near the size of the table.
    const std::uint64_t scan_limit_bytes = scanned_bytes_ + 4 * name_tables_.back().size();
    for_each_entry<Elf64_Sym>(file_, section, [&](const Elf64_Sym& symbol) {
      add(symbol);
      return all_.size() < function_limit && scanned_bytes_ <= scan_limit_bytes;
    });
  }

  void add(const Elf64_Sym& symbol) {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) return;
    // By address and not by st_shndx: that is right with more than 65,279 sections too.
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS || code_.limit_at(symbol.st_value) == 0)
      return;
    Candidate candidate;
    candidate.address = symbol.st_value;
    candidate.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(symbol.st_size, UINT32_MAX));
    candidate.name = symbol.st_name;
    candidate.table = static_cast<std::uint8_t>(name_tables_.size() - 1);
    candidate.binding = binding_rank(ELF64_ST_BIND(symbol.st_info));
    if (candidate.name >= name_tables_.back().size()) return;
    const std::string_view text = name(candidate);
    scanned_bytes_ += text.size();
    candidate.complexity = name_complexity(text);
    // "$x" and the like mark code and data on arm64 and RISC-V; ".L…" are a compiler's jump targets.
    const bool is_mark = type == STT_NOTYPE && (text.starts_with('$') || text.starts_with(".L"));
    if (!text.empty() && !is_mark) all_.push_back(candidate);
  }

  /// By address, and of those at the same address the preferred one last.
  [[nodiscard]] bool is_before(const Candidate& first, const Candidate& second) const {
    if (first.address != second.address) return first.address < second.address;
    if (first.binding != second.binding) return first.binding < second.binding;
    if (first.complexity != second.complexity) return first.complexity > second.complexity;
    if (first.size != second.size) return first.size < second.size;
    return name(first) > name(second);
  }

  const ElfFile& file_;
  CodeSections code_;
  std::vector<std::vector<std::byte>> name_tables_;
  std::vector<Candidate> all_;
  std::uint64_t scanned_bytes_ = 0;  ///< of names
};

/// Appends a name that ends with a zero byte; false if the pool is full.
bool append_name(std::string& pool, std::string_view name, std::string_view suffix = {}) {
  if (name.size() + suffix.size() >= name_pool_limit_bytes - pool.size()) return false;
  pool.append(name).append(suffix).push_back('\0');
  return true;
}

}  // namespace

ElfSymbols ElfSymbols::read(const ElfFile& file) {
  ElfSymbols result;
  {
    const Candidates candidates(file);
    const auto ranges = fill_gaps(flatten(candidates.extents(true)), candidates.extents(false));
    // A function with another one inside it comes twice.
    std::vector<std::uint32_t> name_offsets(candidates.size(), UINT32_MAX);
    result.symbols_.reserve(ranges.size());
    for (const SymbolExtent& range : ranges) {
      std::uint32_t& offset = name_offsets[range.name];
      if (offset == UINT32_MAX) {
        offset = static_cast<std::uint32_t>(result.names_.size());
        if (!append_name(result.names_, candidates.name(candidates[range.name]))) break;
      }
      result.symbols_.push_back({.address = range.address,
                                 .size = static_cast<std::uint32_t>(
                                     std::min<std::uint64_t>(range.limit - range.address, UINT32_MAX)),
                                 .name = offset});
    }
  }
  result.add_plt_stubs(file);
  result.symbols_.shrink_to_fit();
  result.names_.shrink_to_fit();
  return result;
}

void ElfSymbols::add_plt_stubs(const ElfFile& file) {
  std::vector<Symbol> stubs;
  for (const PltStub& stub :
       read_plt_stubs(file, [this](std::uint64_t address) { return lookup(address); })) {
    const auto offset = static_cast<std::uint32_t>(names_.size());
    if (lookup(stub.address) || !append_name(names_, stub.function, "@plt")) continue;
    stubs.push_back({.address = stub.address, .size = stub.size, .name = offset});
  }
  if (stubs.empty()) return;
  symbols_.insert(symbols_.end(), stubs.begin(), stubs.end());
  std::ranges::sort(symbols_, {},
                    [](const Symbol& symbol) { return std::pair(symbol.address, symbol.name); });
}

std::optional<std::string_view> ElfSymbols::lookup(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(symbols_, address, {}, &Symbol::address);
  if (after == symbols_.begin()) return std::nullopt;
  const Symbol& symbol = *std::prev(after);
  if (address - symbol.address >= symbol.size) return std::nullopt;
  return std::string_view(names_.c_str() + symbol.name);
}

}  // namespace pilotlight
