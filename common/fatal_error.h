// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "common/error.h"
#include "common/exit_code.h"

namespace pilotlight {

/// The one exception type of ours: thrown only during start-up, caught only in the mains.
class FatalError : public std::runtime_error {
 public:
  FatalError(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  FatalError(ExitCode code, const Error& error) : FatalError(code, error.message()) {}

  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// The value of a Result, or a FatalError with its message.
template <class T>
T value_or_throw(Result<T> result, ExitCode code = ExitCode::failure) {
  if (!result) throw FatalError(code, result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace pilotlight
