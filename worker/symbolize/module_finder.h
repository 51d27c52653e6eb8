// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "common/unique_handle.h"
#include "worker/profile/profile.h"
#include "worker/symbolize/module.h"
#include "worker/symbolize/module_cache.h"

namespace pilotlight {

/// Finds the module behind a mapping, from the cache or from the file.
///
/// Ways to the file, in this order: its path below the process's root directory (it may live in a container);
/// the process's own link to it (/proc/PID/map_files, for files that were deleted or replaced meanwhile); its
/// path. The first with the build ID of the mapping counts; a mapping without one takes the first that is an
/// ELF file.
///
/// The cache's key is the build ID, or without one the file's path, device, inode and times.
class ModuleFinder {
 public:
  explicit ModuleFinder(std::size_t cache_budget_bytes) : cache_(cache_budget_bytes) {}

  /// Null if there is no readable file. Opens nothing if `cached_only`: then only modules that were found by
  /// their build ID before are found again.
  std::shared_ptr<const Module> find(const Mapping& mapping, bool cached_only);

  [[nodiscard]] const ModuleCache& cache() const { return cache_; }

 private:
  std::shared_ptr<const Module> load(const Mapping& mapping, UniqueFd fd);
  std::shared_ptr<const Module> find_vdso(const Mapping& mapping, bool cached_only);

  ModuleCache cache_;
  std::shared_ptr<const Module> vdso_;  ///< this process's own
  std::string vdso_build_id_;
};

}  // namespace pilotlight
