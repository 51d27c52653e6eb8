// SPDX-License-Identifier: Apache-2.0
//
// How pilotlight reports trouble:
//  - Before the first sample (options, load, attach, opening the output): throw FatalError, caught once in
//    main.
//  - After it: return Result<T>. std::optional only where absence is the sole way to fail.
//  - Trouble of one profiled process is neither: it becomes a counted reason (bpf/records.h).
//  - A bug is an assertion.
// Lower layers return; only the mains and the two loops log.
#pragma once

#include <expected>
#include <string>

namespace pilotlight {

/// What went wrong, on what, and what to do about it.
struct Error {
  std::string what;      ///< the operation and its object: "cannot open /var/lib/x"
  int error_number = 0;  ///< errno of the failed call; 0 where there was none
  std::string remedy;    ///< what the reader can do; may be empty

  /// One line for people: "cannot open /var/lib/x: No such file or directory; create it first".
  [[nodiscard]] std::string message() const;
};

template <class T>
using Result = std::expected<T, Error>;

/// An Error as the failing value of any Result; takes errno as it is now.
[[nodiscard]] std::unexpected<Error> system_error(std::string what, std::string remedy = {});

/// The same for a failure that has no errno.
[[nodiscard]] std::unexpected<Error> failure(std::string what, std::string remedy = {});

}  // namespace pilotlight
