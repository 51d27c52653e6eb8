// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "common/error.h"
#include "common/unique_handle.h"

namespace pilotlight {

/// The whole content of a file of unknown size (/proc included).
Result<std::string> read_file(const std::string& path);

/// A file that appears under its name only when it is complete.
/// Opened before the work starts, so that a bad path fails early; a process killed on the way leaves nothing
/// behind where the filesystem has O_TMPFILE, else a hidden ".NAME.partial".
class AtomicFile {
 public:
  enum class Existing { refuse, replace };

  /// Fails if the folder is missing or not writable, or if path exists and may not be replaced.
  static Result<AtomicFile> create(const std::string& path, Existing existing);

  AtomicFile(AtomicFile&&) = default;
  AtomicFile& operator=(AtomicFile&&) = default;
  ~AtomicFile();

  Result<void> write(std::string_view bytes);

  /// Gives the file its name. Fails if the name was taken meanwhile and may not be replaced.
  Result<void> commit();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  AtomicFile(UniqueFd fd, std::string path, std::string partial_path, Existing existing);
  Result<void> link_under(const std::string& name) const;

  UniqueFd fd_;
  std::string path_;
  std::string partial_path_;  ///< empty while the file has no name at all
  Existing existing_;
};

}  // namespace pilotlight
