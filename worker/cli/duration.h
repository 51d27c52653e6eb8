// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pilotlight {

/// "10", "10s", "1.5s", "500ms", "2m", "1h", "7d": seconds where there is no unit. Nothing for anything else,
/// and for zero, negative or absurd (over ten years) values.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

/// "512", "100K", "64M", "2G" (powers of 1024; "KiB" and "KB" mean the same): bytes.
std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace pilotlight
