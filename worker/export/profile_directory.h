// SPDX-License-Identifier: Apache-2.0
//
// Where continuous profiling puts its windows: one file each, and the oldest make room for the newest.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "worker/export/format.h"
#include "worker/export/profile_file_name.h"
#include "worker/profile/profile.h"

namespace pilotlight {

/// How much may be kept; 0 for no limit.
struct RetentionLimits {
  std::chrono::seconds age{0};  ///< since the window began, by the file's name
  std::uint64_t bytes = 0;      ///< of all files together, the one being written included
};

struct WrittenProfile {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint32_t removed = 0;             ///< older files that had to go
  std::optional<Error> removal_failure;  ///< the first of those that had to go but could not be removed
};

/// A folder of profiles of one host. Only regular files that are named as profile_file_name.h says, for this
/// host and in any format, are ever counted or removed, and what an earlier run that was killed left of one
/// (".NAME.partial"). Nothing is remembered between two calls: a folder that vanishes makes them fail until
/// it is back.
class ProfileDirectory {
 public:
  ProfileDirectory(std::string path, std::string host, Format format, RetentionLimits limits);

  /// Renders the profile, makes room, and writes it under a name that does not exist yet.
  /// On failure (disk full, folder gone, larger than all that may be kept) nothing is left behind.
  Result<WrittenProfile> write(const Profile& profile,
                               std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

 private:
  struct StoredFile {
    ProfileFileName name;
    std::string path;
    std::uint64_t bytes = 0;
  };
  struct Listing {
    std::vector<StoredFile> profiles;  ///< oldest first
    std::vector<std::string> partial_paths;
  };
  struct Room {
    std::uint64_t bytes = 0;
    std::chrono::system_clock::time_point now;
  };

  [[nodiscard]] Result<Listing> list() const;
  Result<void> make_room(const Room& needed, WrittenProfile& outcome) const;
  Result<void> store(const std::string& bytes, std::chrono::sys_seconds time, WrittenProfile& outcome) const;

  std::string path_;
  std::string host_;
  Format format_;
  RetentionLimits limits_;
};

}  // namespace pilotlight
