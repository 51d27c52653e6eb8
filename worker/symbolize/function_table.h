// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "worker/profile/profile.h"

namespace pilotlight {

/// Adds functions to those of a profile, each distinct one once.
class FunctionTable {
 public:
  /// `functions` must outlive this; what is in it already is reused.
  FunctionTable(std::vector<Function>& functions, bool demangle_names);

  /// Index of the function with this name in a symbol table.
  std::uint32_t add_symbol(std::string_view system_name);

  /// Index of a made-up function, such as "[kernel]", whose name is not demangled.
  std::uint32_t add_placeholder(const std::string& name);

 private:
  std::uint32_t add(Function function);

  std::vector<Function>& functions_;
  bool demangle_names_;
  std::unordered_map<std::string, std::uint32_t> by_content_;
  std::unordered_map<std::string, std::uint32_t> by_system_name_;  ///< of symbols, to demangle each once
};

}  // namespace pilotlight
