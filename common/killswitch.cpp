// SPDX-License-Identifier: Apache-2.0
#include "common/killswitch.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "common/unique_handle.h"

namespace pilotlight {

namespace {

constexpr std::size_t reason_bytes = 512;
constexpr std::size_t escaped_bytes = 4;  // "\x1b"

/// Returns how much of the buffer it used; drops what does not fit.
std::size_t escape(std::string_view text, std::span<char> buffer) noexcept {
  constexpr std::string_view digits = "0123456789abcdef";
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::size_t used = 0;
  for (const char character : text) {
    if (used + escaped_bytes > buffer.size()) break;
    if (character >= ' ' && character <= '~' && character != '\\') {
      buffer[used++] = character;
      continue;
    }
    const auto byte = static_cast<unsigned char>(character);
    for (const char part : {'\\', 'x', digits[byte / 16U], digits[byte % 16U]}) buffer[used++] = part;
  }
  return used;
}

}  // namespace

SwitchReading killswitch_reading() noexcept {
  struct stat status{};
  int result = 0;
  do {
    result = ::lstat(killswitch_path, &status);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return {.state = SwitchState::engaged};
  if (errno == ENOENT) return {.state = SwitchState::released};
  return {.state = SwitchState::unknown, .error_number = errno};
}

std::optional<DirectoryIdentity> killswitch_directory_identity() noexcept {
  struct stat status{};
  if (::stat(killswitch_directory, &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  return DirectoryIdentity{.device = status.st_dev, .inode = status.st_ino};
}

SwitchReading killswitch_reading(const DirectoryIdentity& expected) noexcept {
  const SwitchReading reading = killswitch_reading();
  if (reading.state != SwitchState::released) return reading;
  if (killswitch_directory_identity() == expected) return reading;
  return {.state = SwitchState::unknown, .directory_replaced = true};
}

std::size_t killswitch_reason(std::span<char> buffer) noexcept {
  struct stat status{};
  const UniqueFd fd(::open(killswitch_path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  std::array<char, reason_bytes> content;
  const ssize_t got = ::read(fd.get(), content.data(), content.size());
  if (got <= 0) return 0;
  return escape({content.data(), static_cast<std::size_t>(got)}, buffer);
}

std::string killswitch_reason() {
  std::array<char, reason_bytes * escaped_bytes> buffer;
  return {buffer.data(), killswitch_reason(buffer)};
}

}  // namespace pilotlight
