// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/file.h"
#include "worker/cli/options.h"
#include "worker/export/format.h"

namespace pilotlight {

/// The format that the options ask for: by name, else by the file's ending; without either the flame graph for an
/// adhoc profile and pprof for continuous ones. Fails on an unknown name or ending.
Result<Format> format_of(const Options& options);

/// The one file (or standard output) of an adhoc profile, opened before sampling begins.
class ProfileOutput {
 public:
  /// Chooses name and format as the options say: the format by name, else by the file's ending, else SVG;
  /// without a file name one in the current folder, from host and time.
  static Result<ProfileOutput> open(const Options& options);

  [[nodiscard]] Format format() const { return format_; }

  /// For people: the path, or "standard output".
  [[nodiscard]] std::string name() const;

  /// Writes everything; the file gets its name only if all of it was written.
  Result<void> write(std::string_view bytes);

 private:
  ProfileOutput(Format format, std::optional<AtomicFile> file) : format_(format), file_(std::move(file)) {}

  Format format_;
  std::optional<AtomicFile> file_;  ///< none: standard output
};

/// The name of this machine.
std::string host_name();

}  // namespace pilotlight
