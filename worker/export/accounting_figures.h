// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "worker/profile/profile.h"

namespace pilotlight {

/// One non-zero figure of an Accounting, as people read it.
struct AccountingFigure {
  std::string_view name;  ///< "lost samples"
  std::uint64_t value = 0;
  bool is_loss = false;  ///< says that the profile is less than the whole truth
};

/// Every figure that is not zero, in the order of Accounting.
[[nodiscard]] std::vector<AccountingFigure> accounting_figures(const Accounting& accounting);

}  // namespace pilotlight
