// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/name_preference.h"

#include <algorithm>

namespace pilotlight {

std::uint8_t name_complexity(std::string_view name) {
  constexpr unsigned version = 128;
  const std::size_t underscores = std::min(name.find_first_not_of('_'), name.size());
  const bool has_version = name.find('@') != std::string_view::npos;
  return static_cast<std::uint8_t>(std::min<std::size_t>(underscores, version - 1) +
                                   (has_version ? version : 0));
}

}  // namespace pilotlight
