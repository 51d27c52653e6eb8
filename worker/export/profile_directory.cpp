// SPDX-License-Identifier: Apache-2.0
#include "worker/export/profile_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/file.h"
#include "worker/export/make_exporter.h"

namespace pilotlight {

namespace {

/// More windows than this in one second are no windows.
constexpr std::uint32_t most_in_one_second = 1000;

/// Size of a regular file; nothing for anything else, symbolic links included.
std::optional<std::uint64_t> regular_file_size(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

/// The name that a file of AtomicFile is going to have: ".NAME.partial" → NAME.
std::optional<std::string_view> name_of_partial(std::string_view name) {
  constexpr std::string_view suffix = ".partial";
  if (!name.starts_with('.') || !name.ends_with(suffix)) return std::nullopt;
  return name.substr(1, name.size() - suffix.size() - 1);
}

bool remove_file(const std::string& path, WrittenProfile& outcome) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return true;
  if (!outcome.removal_failure) outcome.removal_failure = system_error("cannot remove " + path).error();
  return false;
}

bool exists(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

}  // namespace

ProfileDirectory::ProfileDirectory(std::string path, std::string host, Format format, RetentionLimits limits)
    : path_(std::move(path)), host_(std::move(host)), format_(format), limits_(limits) {}

Result<WrittenProfile> ProfileDirectory::write(const Profile& profile,
                                               std::chrono::system_clock::time_point now) {
  auto bytes = make_exporter(format_)(profile);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  WrittenProfile outcome;
  outcome.bytes = bytes->size();
  if (auto room = make_room({.bytes = outcome.bytes, .now = now}, outcome); !room)
    return std::unexpected(std::move(room.error()));
  const auto time = std::chrono::floor<std::chrono::seconds>(profile.start);
  if (auto stored = store(*bytes, time, outcome); !stored) return std::unexpected(std::move(stored.error()));
  return outcome;
}

Result<ProfileDirectory::Listing> ProfileDirectory::list() const {
  Listing listing;
  std::error_code error;
  std::filesystem::directory_iterator entry(path_, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    const std::string name = entry->path().filename().string();
    const auto partial = name_of_partial(name);
    const auto parsed = parse_file_name(host_, partial.value_or(name));
    const auto size = parsed ? regular_file_size(path) : std::nullopt;
    if (!size) continue;
    if (partial)
      listing.partial_paths.push_back(path);
    else
      listing.profiles.push_back({.name = *parsed, .path = path, .bytes = *size});
  }
  if (error) return std::unexpected(Error{"cannot list " + path_, error.value(), "create it"});
  std::ranges::sort(listing.profiles, {}, &StoredFile::name);
  return listing;
}

Result<void> ProfileDirectory::make_room(const Room& needed, WrittenProfile& outcome) const {
  if (limits_.bytes != 0 && needed.bytes > limits_.bytes)
    return failure(
        "a profile of " + std::to_string(needed.bytes) + " bytes is more than may be kept in " + path_,
        "raise the limit");
  auto listing = list();
  if (!listing) return std::unexpected(std::move(listing.error()));
  for (const std::string& path : listing->partial_paths) remove_file(path, outcome);
  std::uint64_t total = needed.bytes;
  for (const StoredFile& file : listing->profiles) total += file.bytes;
  for (const StoredFile& file : listing->profiles) {
    const bool too_old = limits_.age.count() != 0 && file.name.time < needed.now - limits_.age;
    const bool too_much = limits_.bytes != 0 && total > limits_.bytes;
    if (!too_old && !too_much) break;  // those that follow are younger
    if (!remove_file(file.path, outcome)) continue;
    total -= file.bytes;
    ++outcome.removed;
  }
  if (limits_.bytes != 0 && total > limits_.bytes)
    return std::unexpected(
        outcome.removal_failure.value_or(Error{"no room in " + path_, 0, "raise the limit"}));
  return {};
}

Result<void> ProfileDirectory::store(const std::string& bytes, std::chrono::sys_seconds time,
                                     WrittenProfile& outcome) const {
  ProfileFileName name{.time = time, .number = 1, .format = format_};
  for (; name.number <= most_in_one_second; ++name.number) {
    outcome.path = path_ + "/" + file_name_of(host_, name);
    if (exists(outcome.path)) continue;
    auto file = AtomicFile::create(outcome.path, AtomicFile::Existing::refuse);
    if (!file) return std::unexpected(std::move(file.error()));
    if (auto written = file->write(bytes); !written) return written;
    auto committed = file->commit();
    if (committed || committed.error().error_number != EEXIST) return committed;
  }
  return failure("too many profiles of one second in " + path_);
}

}  // namespace pilotlight
