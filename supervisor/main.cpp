// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <exception>
#include <iostream>

#include "common/fatal_error.h"
#include "common/version.h"
#include "supervisor/foundation.h"
#include "supervisor/options.h"
#include "supervisor/supervisor.h"

int main(int argc, char** argv) {
  using namespace pilotlight;
  try {
    const Options options = parse_options(argc, argv);
    if (options.show_help || options.show_version) {
      std::cout << (options.show_help ? help_text() : std::string("pilotlightd ") + version + "\n")
                << std::flush;
      return std::to_underlying(ExitCode::done);
    }
    const ExitCode code = Supervisor(lay_foundation(options)).run();
    drain_log(std::chrono::milliseconds(200));
    ::_exit(std::to_underlying(code));
  } catch (const FatalError& error) {
    std::cerr << "pilotlightd: " << error.what() << '\n';
    return std::to_underlying(error.code());
  }
}
