// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/error.h"

namespace pilotlight {

/// Fails, with the first missing thing and its remedy, where this machine or this user cannot run the
/// profiler at all. Looked at before anything is loaded, because the kernel's own answers name no reason.
Result<void> check_machine();

}  // namespace pilotlight
