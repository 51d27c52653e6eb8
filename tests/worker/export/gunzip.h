// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace pilotlight::test {

struct Gunzipped {
  std::string bytes;
  std::uint32_t modification_time = 0;
  std::size_t trailing_bytes = 0;  ///< after the first member
};

/// Decompresses the first member of a gzip file with zlib; throws if it is none or broken.
Gunzipped gunzip(const std::string& compressed);

}  // namespace pilotlight::test
