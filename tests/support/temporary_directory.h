// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pilotlight::test {

/// A new directory under /tmp, removed with all in it at the end of the scope.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Creates or replaces a file with this content.
void write_file(const std::string& path, const std::string& content);

}  // namespace pilotlight::test
