// SPDX-License-Identifier: Apache-2.0
//
// The kernel's functions by address, from the text of /proc/kallsyms (kernel/kallsyms.c): those of its
// modules, and of BPF programs compiled to machine code, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace pilotlight {

struct KernelSymbol {
  std::uint64_t address = 0;  ///< first byte
  std::string_view name;
  std::string_view module;  ///< without brackets; empty in the kernel proper; "bpf" for BPF programs
};

class KernelSymbols {
 public:
  KernelSymbols() = default;

  /// Never fails: lines that are no symbols are skipped. Of several functions at an address, the global one,
  /// then the one with the plainer name, then the alphabetically first is kept.
  static KernelSymbols parse(std::string_view text);

  /// Reads and parses a file like /proc/kallsyms. Takes about 0.1 s.
  static Result<KernelSymbols> load(const std::string& path);

  /// The function at an address: the last that starts at or before it, unless data starts between them. The
  /// last symbol of all, whose end is not known, reaches to the end of its page (4 KiB) only. Valid as long
  /// as this object.
  [[nodiscard]] std::optional<KernelSymbol> lookup(std::uint64_t address) const;

  /// The kernel showed all addresses as zero: without CAP_SYSLOG, or if the sysctl kernel.kptr_restrict is 2.
  [[nodiscard]] bool restricted() const { return restricted_; }

  [[nodiscard]] std::size_t size() const { return function_count_; }  ///< functions
  [[nodiscard]] std::size_t bytes() const;                            ///< memory in use

 private:
  struct Symbol {
    std::uint64_t address = 0;
    std::uint32_t name = 0;    ///< offset in names_, up to the next zero byte
    std::uint16_t module = 0;  ///< index in modules_
    std::uint8_t kind =
        0;  ///< 2 global or weak function, 1 local function, 0 data: the end of the function before
    std::uint8_t complexity = 0;  ///< of the name
  };

  void add_line(std::string_view text);
  std::optional<std::uint16_t> module_index(std::string_view module);
  [[nodiscard]] std::string_view name(const Symbol& symbol) const { return names_.c_str() + symbol.name; }
  void sort();

  std::vector<Symbol> symbols_;  ///< sorted, one for each address, data only where a function ends
  std::string names_;
  std::vector<std::string> modules_;
  std::size_t function_count_ = 0;
  bool restricted_ = false;
};

}  // namespace pilotlight
