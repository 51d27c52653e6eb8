// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/log.h"

namespace pilotlight {

/// The command line of pilotlightd. There is no configuration file, and no variable of the environment is
/// read.
struct Options {
  std::string worker;                       ///< absolute path of the program to supervise
  std::vector<std::string> worker_options;  ///< all after "--"
  bool override_killswitch = false;
  Severity log_level = Severity::info;
  bool show_help = false;
  bool show_version = false;
};

/// Throws FatalError (usage), whose message names the argument. No abbreviation of an option is accepted: a
/// prefix of the override must never override.
Options parse_options(int argc, const char* const* argv);

std::string help_text();

}  // namespace pilotlight
