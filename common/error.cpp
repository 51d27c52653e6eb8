// SPDX-License-Identifier: Apache-2.0
#include "common/error.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace pilotlight {

std::string Error::message() const {
  std::string text = what;
  if (error_number != 0) text += ": " + std::generic_category().message(error_number);
  if (!remedy.empty()) text += "; " + remedy;
  return text;
}

std::unexpected<Error> system_error(std::string what, std::string remedy) {
  return std::unexpected(Error{std::move(what), errno, std::move(remedy)});
}

std::unexpected<Error> failure(std::string what, std::string remedy) {
  return std::unexpected(Error{std::move(what), 0, std::move(remedy)});
}

}  // namespace pilotlight
