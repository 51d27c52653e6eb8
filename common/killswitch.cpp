// SPDX-License-Identifier: Apache-2.0
#include "common/killswitch.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include "common/unique_handle.h"

namespace pilotlight {

namespace {

std::string escape(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::string escaped;
  for (const char character : text) {
    if (character >= ' ' && character <= '~' && character != '\\') {
      escaped += character;
    } else {
      std::array<char, 5> code{};
      std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned char>(character));
      escaped += code.data();
    }
  }
  return escaped;
}

}  // namespace

SwitchReading killswitch_reading() noexcept {
  struct stat status {};
  int result = 0;
  do {
    result = ::lstat(killswitch_path, &status);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return {.state = SwitchState::engaged};
  if (errno == ENOENT) return {.state = SwitchState::released};
  return {.state = SwitchState::unknown, .error_number = errno};
}

std::optional<DirectoryIdentity> killswitch_directory_identity() noexcept {
  struct stat status {};
  if (::stat(killswitch_directory, &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  return DirectoryIdentity{.device = status.st_dev, .inode = status.st_ino};
}

SwitchReading killswitch_reading(const DirectoryIdentity& expected) noexcept {
  const SwitchReading reading = killswitch_reading();
  if (reading.state != SwitchState::released) return reading;
  if (killswitch_directory_identity() == expected) return reading;
  return {.state = SwitchState::unknown, .directory_replaced = true};
}

std::string killswitch_reason() {
  struct stat status {};
  const UniqueFd fd(::open(killswitch_path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::array<char, 512> content;
  const ssize_t got = ::read(fd.get(), content.data(), content.size());
  if (got <= 0) return {};
  return escape({content.data(), static_cast<std::size_t>(got)});
}

}  // namespace pilotlight
