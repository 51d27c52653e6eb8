// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "common/error.h"

namespace pilotlight {

/// One gzip member (RFC 1952) without name or time, so that equal input gives equal bytes.
/// One, because some readers stop after the first.
Result<std::string> gzip(std::string_view bytes);

}  // namespace pilotlight
