// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/module_cache.h"

#include <utility>

namespace pilotlight {

std::shared_ptr<const Module> ModuleCache::find(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->module;
}

void ModuleCache::insert(const std::string& key, std::shared_ptr<const Module> module) {
  if (const auto found = by_key_.find(key); found != by_key_.end()) erase(found->second);
  bytes_ += module->bytes();
  entries_.push_front({.key = key, .module = std::move(module)});
  by_key_.emplace(key, entries_.begin());
  while (bytes_ > budget_bytes_ && entries_.size() > 1) erase(std::prev(entries_.end()));
}

void ModuleCache::erase(Entries::iterator entry) {
  bytes_ -= entry->module->bytes();
  by_key_.erase(entry->key);
  entries_.erase(entry);
}

}  // namespace pilotlight
