// SPDX-License-Identifier: Apache-2.0
//
// Gives the frames of a profile their names.
//
// | frame                                 | name                             | counted as |
// | in a function of a file or the kernel | the function's                   | –          |
// | in a file without a symbol for it     | "[libfoo.so.1]", the file's name | no_symbol  |
// | in a file that cannot be read         | the same                         | no_file    |
// | in the kernel, function not known     | "[kernel]"                       | no_symbol  |
// | in memory without a file              | "[anon]"                         | anonymous  |
// | where nothing is mapped               | "[unknown]"                      | no_mapping |
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/clock.h"
#include "worker/profile/profile.h"
#include "worker/symbolize/kernel_symbols.h"
#include "worker/symbolize/module_finder.h"

namespace pilotlight {

struct SymbolizerOptions {
  bool demangle = true;
  std::size_t cache_budget_bytes = 64 << 20;  ///< for the symbols of programs and libraries
  std::string kallsyms_path = "/proc/kallsyms";
};

enum class SymbolizeEffort : std::uint8_t {
  full,
  quick,  ///< from what is in memory: opens no file. For a run that is being stopped
};

/// Lives as long as the worker, so that each file is read once.
class Symbolizer {
 public:
  explicit Symbolizer(SymbolizerOptions options = {});

  /// Fills Location::lines, Profile::functions, Mapping::symbolized, a missing Mapping::build_id, and in
  /// Profile::accounting the number of frames (less markers) and of those without a name, each as often as it
  /// was sampled. Locations with lines are left as they are.
  void symbolize(Profile& profile, SymbolizeEffort effort = SymbolizeEffort::full);

  /// The kernel hid its addresses when it was last asked: frames in it are "[kernel]"
  /// (KernelSymbols::restricted).
  [[nodiscard]] bool kernel_is_restricted() const { return kernel_.restricted(); }

  [[nodiscard]] const ModuleCache& cache() const { return modules_.cache(); }

 private:
  void refresh_kernel_symbols(const Profile& profile);

  SymbolizerOptions options_;
  ModuleFinder modules_;
  KernelSymbols kernel_;
  bool kernel_was_read_ = false;
  MonotonicClock::time_point kernel_read_at_;
};

}  // namespace pilotlight
