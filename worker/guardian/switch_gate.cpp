// SPDX-License-Identifier: Apache-2.0
#include "worker/guardian/switch_gate.h"

#include <cstdio>

#include "common/error.h"
#include "common/fatal_error.h"

namespace pilotlight {

std::string describe(const SwitchReading& reading) {
  if (reading.state == SwitchState::engaged) return std::string(killswitch_path) + " exists";
  return Error{.what = std::string("cannot tell whether ") + killswitch_path + " exists",
               .error_number = reading.error_number,
               .remedy = "which counts as engaged"}
      .message();
}

void refuse_if_engaged(bool overridden) {
  const SwitchReading reading = killswitch_reading();
  if (reading.state == SwitchState::released) return;
  std::string why = describe(reading);
  if (const std::string reason = killswitch_reason(); !reason.empty()) why += " and says \"" + reason + "\"";
  if (overridden) {
    std::fprintf(stderr, "pilotlight: WARNING: the killswitch is engaged (%s) and overridden by --%s\n",
                 why.c_str(), override_option);
    return;
  }
  throw FatalError(reading.state == SwitchState::engaged ? ExitCode::refused : ExitCode::killswitch_in_doubt,
                   "refused by the killswitch: " + why + "; remove it, or override it with --" +
                       std::string(override_option));
}

}  // namespace pilotlight
