// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "common/fatal_error.h"
#include "worker/pilotlight.h"

int main(int argument_count, char** arguments) {
  try {
    return pilotlight::run_pilotlight(std::vector<std::string>(arguments + 1, arguments + argument_count));
  } catch (const pilotlight::FatalError& error) {
    std::fprintf(stderr, "pilotlight: %s\n", error.what());
    return std::to_underlying(error.code());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pilotlight: %s\n", error.what());
    return std::to_underlying(pilotlight::ExitCode::failure);
  }
}
