// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "worker/symbolize/module.h"

namespace pilotlight {

/// Modules by an identity of their file, within a budget of memory: beyond it, the least recently used go
/// first. The newest always stays, so that one module larger than the budget is not read again for every
/// profile.
class ModuleCache {
 public:
  explicit ModuleCache(std::size_t budget_bytes) : budget_bytes_(budget_bytes) {}

  /// Null if it is not there. A module that is evicted stays valid for those who hold it.
  [[nodiscard]] std::shared_ptr<const Module> find(const std::string& key);

  void insert(const std::string& key, std::shared_ptr<const Module> module);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const Module> module;
  };
  using Entries = std::list<Entry>;

  void erase(Entries::iterator entry);

  std::size_t budget_bytes_;
  std::size_t bytes_ = 0;
  Entries entries_;  ///< most recently used first
  std::unordered_map<std::string, Entries::iterator> by_key_;
};

}  // namespace pilotlight
