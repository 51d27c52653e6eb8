// SPDX-License-Identifier: Apache-2.0
//
// Folded stacks, the text form that flame graph programs read: "process;main;work 42".
#pragma once

#include <string>

#include "common/error.h"
#include "worker/profile/profile.h"

namespace pilotlight {

/// One line for each distinct stack of names, sorted: frames root first, joined by ";", then a space and the
/// number of samples. The first frame is the process's name, the second the thread's where the profile keeps
/// threads apart; a stack of which nothing was recorded has the one further frame "[unknown]". Kernel frames
/// end in "_[k]". A ";" in a name becomes ":", what would break the line or the encoding "\xNN" (text.h);
/// spaces stay.
Result<std::string> export_folded(const Profile& profile);

}  // namespace pilotlight
