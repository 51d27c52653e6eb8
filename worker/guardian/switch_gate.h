// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/killswitch.h"

namespace pilotlight {

/// What a reading that is not "released" says, for people: "/etc/pilotlight/killswitch exists".
std::string describe(const SwitchReading& reading);

/// Looks at the killswitch before anything else is done. Throws FatalError (refused, or killswitch_in_doubt)
/// with the reason and the way out, unless it is released; with the override only warns.
void refuse_if_engaged(bool overridden);

}  // namespace pilotlight
