// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "worker/profile/profile.h"

namespace pilotlight {

/// What became of the run, for people: a few lines, each with a final newline. Says what is missing from the
/// profile and why, and nothing about what is not. `destination` empty: nothing was written.
std::string summary_text(const Profile& profile, const std::string& destination);

/// The same figures, all of them, as one line of JSON.
std::string summary_json(const Profile& profile, const std::string& destination);

}  // namespace pilotlight
