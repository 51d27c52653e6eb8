// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/error.h"
#include "worker/profile/profile.h"

namespace pilotlight {

/// profile.proto (github.com/google/pprof/blob/main/proto/profile.proto), gzipped.
///  - Sample types: samples/count, then cpu/nanoseconds, which viewers show.
///  - Mapping 0 gives the profile its title: see main_mapping.h.
///  - A mapping whose frames have no names says so (has_functions is false), so that pprof can look them up
///    later by file and build ID.
///  - Labels: "process" and "thread" (names), "pid" and, where the profile keeps threads apart, "tid"
///    (numbers).
///  - Comments: the profile's, then every non-zero figure of its accounting.
Result<std::string> export_pprof(const Profile& profile);

}  // namespace pilotlight
