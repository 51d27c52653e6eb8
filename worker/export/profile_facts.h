// SPDX-License-Identifier: Apache-2.0
//
// What exporters derive from a whole profile.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/error.h"
#include "worker/profile/profile.h"

namespace pilotlight {

/// Sum of the counts of all stacks.
[[nodiscard]] std::uint64_t total_samples(const Profile& profile);

/// The total, or the failure that every exporter reports where it is 0.
Result<std::uint64_t> total_samples_or_failure(const Profile& profile);

/// The process that all samples are of, under its last name (it may have executed another program meanwhile);
/// null if there are several.
[[nodiscard]] const ProcessLabel* sole_process(const Profile& profile);

/// What the first of Profile::comments that starts with "KEY: " goes on with; empty if there is none.
[[nodiscard]] std::string_view comment_value(const Profile& profile, std::string_view key);

}  // namespace pilotlight
