// SPDX-License-Identifier: Apache-2.0
//
// The killswitch: one path, nothing else. Any directory entry there, of any kind, engages it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace pilotlight {

inline constexpr char killswitch_parent_directory[] = "/etc";
inline constexpr char killswitch_directory[] = "/etc/pilotlight";
inline constexpr char killswitch_name[] = "killswitch";
inline constexpr char killswitch_path[] = "/etc/pilotlight/killswitch";

/// The only spelling that overrides the switch, on both programs and only on the command line.
inline constexpr char override_option[] = "i-know-what-i-am-doing";

enum class SwitchState : unsigned char {
  released,  ///< certainly no such entry
  engaged,   ///< there is an entry
  unknown,   ///< could not tell, which everyone treats as engaged
};

struct SwitchReading {
  SwitchState state = SwitchState::unknown;
  int error_number = 0;             ///< of the check, where state is unknown
  bool directory_replaced = false;  ///< see killswitch_reading(DirectoryIdentity)
};

/// One lstat(2). Only ENOENT is "released": access(2) and filesystem::exists() read EACCES, ELOOP and others
/// as absence and so would fail open. Allocates nothing. Can block for as long as the filesystem blocks.
SwitchReading killswitch_reading() noexcept;

/// Device and inode of the switch's directory.
struct DirectoryIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const DirectoryIdentity&) const = default;
};

/// Of the directory that now lies at killswitch_directory; nothing if there is none.
std::optional<DirectoryIdentity> killswitch_directory_identity() noexcept;

/// The stricter check of a service: released only while the directory seen at its start is still the one at
/// the path. A directory that vanished or was covered by a mount may hide a switch, so it counts as unknown.
SwitchReading killswitch_reading(const DirectoryIdentity& expected) noexcept;

/// The first 512 bytes of the switch if it is a regular file, with everything but printable ASCII escaped:
/// why it was engaged. Empty if there is nothing to read. Never waits for a fifo or a device.
std::string killswitch_reason();

/// The same into a buffer, which it returns the used length of: allocates nothing, so that a process cloned
/// from a parent with threads can call it. A buffer of 2048 bytes holds any reason.
std::size_t killswitch_reason(std::span<char> buffer) noexcept;

}  // namespace pilotlight
