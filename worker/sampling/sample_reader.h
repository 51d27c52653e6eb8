// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "worker/sampling/sample.h"

namespace pilotlight {

/// A record of the sample ring (struct pilotlight_sample) as a value; nothing if its figures do not fit its
/// length.
std::optional<Sample> read_sample(std::span<const std::byte> record);

}  // namespace pilotlight
