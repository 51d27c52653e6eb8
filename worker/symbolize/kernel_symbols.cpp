// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/kernel_symbols.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/file.h"
#include "worker/symbolize/name_preference.h"

namespace pilotlight {

namespace {

constexpr std::size_t symbol_limit = 4'000'000;
constexpr std::size_t name_pool_limit_bytes = 512 << 20;

constexpr std::uint64_t page_bytes = 4096;

constexpr std::uint8_t data_kind = 0;
constexpr std::uint8_t local_kind = 1;
constexpr std::uint8_t global_kind = 2;

std::uint8_t kind_of(char type) {
  if (type == 't') return local_kind;
  return type == 'T' || type == 'w' || type == 'W' ? global_kind : data_kind;
}

/// "ADDRESS TYPE NAME" or "ADDRESS TYPE NAME\t[MODULE]".
struct KallsymsLine {
  std::uint64_t address = 0;
  char type = 0;
  std::string_view name;
  std::string_view module;
};

std::optional<KallsymsLine> parse_line(std::string_view text) {
  KallsymsLine line;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), line.address, 16);
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  if (error != std::errc() || text.size() < 4 || text[0] != ' ' || text[2] != ' ') return std::nullopt;
  line.type = text[1];
  text.remove_prefix(3);
  const auto tab = text.find('\t');
  line.name = text.substr(0, tab);
  if (line.name.empty() || line.name.find('\0') != std::string_view::npos) return std::nullopt;
  if (tab == std::string_view::npos) return line;
  text.remove_prefix(tab + 1);
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return std::nullopt;
  line.module = text.substr(1, text.size() - 2);
  return line;
}

}  // namespace

KernelSymbols KernelSymbols::parse(std::string_view text) {
  KernelSymbols result;
  result.modules_.emplace_back();
  while (!text.empty() && result.symbols_.size() < symbol_limit) {
    const auto end = text.find('\n');
    result.add_line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  result.restricted_ =
      !result.symbols_.empty() &&
      std::ranges::all_of(result.symbols_, [](const Symbol& symbol) { return symbol.address == 0; });
  if (result.restricted_) result.symbols_.clear();
  result.sort();
  return result;
}

Result<KernelSymbols> KernelSymbols::load(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  return parse(*text);
}

void KernelSymbols::add_line(std::string_view text) {
  const auto line = parse_line(text);
  if (!line || names_.size() + line->name.size() >= name_pool_limit_bytes) return;
  const auto module = module_index(line->module);
  if (!module) return;
  Symbol symbol;
  symbol.address = line->address;
  symbol.kind = kind_of(line->type);
  symbol.module = *module;
  if (symbol.kind != data_kind) {
    symbol.name = static_cast<std::uint32_t>(names_.size());
    symbol.complexity = name_complexity(line->name);
    names_.append(line->name).push_back('\0');
  }
  symbols_.push_back(symbol);
}

std::optional<std::uint16_t> KernelSymbols::module_index(std::string_view module) {
  // The symbols of a module follow each other.
  if (modules_.back() == module) return static_cast<std::uint16_t>(modules_.size() - 1);
  const auto found = std::ranges::find(modules_, module);
  if (found == modules_.end() && modules_.size() > UINT16_MAX) return std::nullopt;
  const auto index = static_cast<std::uint16_t>(found - modules_.begin());
  if (found == modules_.end()) modules_.emplace_back(module);
  return index;
}

void KernelSymbols::sort() {
  // The preferred symbol of an address first, data last.
  std::ranges::sort(symbols_, [this](const Symbol& first, const Symbol& second) {
    if (first.address != second.address) return first.address < second.address;
    if (first.kind != second.kind) return first.kind > second.kind;
    if (first.complexity != second.complexity) return first.complexity < second.complexity;
    return name(first) < name(second);
  });
  const auto same_address = std::ranges::unique(symbols_, {}, &Symbol::address);
  symbols_.erase(same_address.begin(), same_address.end());
  const auto repeated_data = std::ranges::unique(symbols_, [](const Symbol& first, const Symbol& second) {
    return first.kind == data_kind && second.kind == data_kind;
  });
  symbols_.erase(repeated_data.begin(), repeated_data.end());
  function_count_ = static_cast<std::size_t>(
      std::ranges::count_if(symbols_, [](const Symbol& symbol) { return symbol.kind != data_kind; }));
  symbols_.shrink_to_fit();
  names_.shrink_to_fit();
}

std::optional<KernelSymbol> KernelSymbols::lookup(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(symbols_, address, {}, &Symbol::address);
  if (after == symbols_.begin()) return std::nullopt;
  const Symbol& symbol = *std::prev(after);
  if (symbol.kind == data_kind) return std::nullopt;
  if (after == symbols_.end() && address / page_bytes != symbol.address / page_bytes) return std::nullopt;
  return KernelSymbol{.address = symbol.address, .name = name(symbol), .module = modules_[symbol.module]};
}

std::size_t KernelSymbols::bytes() const {
  return symbols_.capacity() * sizeof(Symbol) + names_.capacity() + modules_.capacity() * sizeof(std::string);
}

}  // namespace pilotlight
