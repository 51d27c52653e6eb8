// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/function_table.h"

#include <utility>

#include "worker/symbolize/demangle.h"

namespace pilotlight {

namespace {

std::string content_key(const Function& function) {
  std::string key = function.name;
  key.append(1, '\0').append(function.system_name).append(1, '\0').append(function.file);
  return key;
}

}  // namespace

FunctionTable::FunctionTable(std::vector<Function>& functions, bool demangle_names)
    : functions_(functions), demangle_names_(demangle_names) {
  for (std::uint32_t index = 0; index < functions_.size(); ++index)
    by_content_.try_emplace(content_key(functions_[index]), index);
}

std::uint32_t FunctionTable::add_symbol(std::string_view system_name) {
  const auto [known, is_new] = by_system_name_.try_emplace(std::string(system_name), 0);
  if (is_new)
    known->second = add({.name = demangle_names_ ? demangle(system_name) : std::string(system_name),
                         .system_name = std::string(system_name),
                         .file = {}});
  return known->second;
}

std::uint32_t FunctionTable::add_placeholder(const std::string& name) {
  return add({.name = name, .system_name = name, .file = {}});
}

std::uint32_t FunctionTable::add(Function function) {
  const auto next = static_cast<std::uint32_t>(functions_.size());
  const auto [known, is_new] = by_content_.try_emplace(content_key(function), next);
  if (is_new) functions_.push_back(std::move(function));
  return known->second;
}

}  // namespace pilotlight
