// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/module_finder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "worker/elf/build_id.h"
#include "worker/elf/regular_file.h"
#include "worker/symbolize/mapping_kind.h"
#include "worker/symbolize/vdso.h"

namespace pilotlight {

namespace {

std::string directory_of_process(const Mapping& mapping) { return "/proc/" + std::to_string(mapping.pid); }

Result<UniqueFd> open_below_process_root(const Mapping& mapping) {
  if (mapping.pid == 0 || mapping_kind(mapping.path) != MappingKind::file)
    return failure("no path below a root");
  const std::string root_path = directory_of_process(mapping) + "/root";
  const UniqueFd root(::open(root_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return system_error("cannot open " + root_path);
  return open_regular_file_under(root.get(), mapping.path);
}

void append_hexadecimal(std::string& text, std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  text.append(digits.data(), result.ptr);
}

/// proc_pid_map_files(5); needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN.
Result<UniqueFd> open_by_mapping(const Mapping& mapping) {
  if (mapping.pid == 0) return failure("no process that maps the file");
  std::string path = directory_of_process(mapping) + "/map_files/";
  append_hexadecimal(path, mapping.start);
  path.push_back('-');
  append_hexadecimal(path, mapping.limit);
  return open_regular_file(path);
}

Result<UniqueFd> open_by_path(const Mapping& mapping) {
  if (mapping_kind(mapping.path) != MappingKind::file) return failure("no path");
  return open_regular_file(mapping.path);
}

/// Tells files without a build ID apart, also if one is replaced or changed in place.
std::optional<std::string> file_identity(int fd, const std::string& path) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return std::nullopt;
  std::string identity = path;
  for (const auto number :
       {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
        static_cast<std::uint64_t>(status.st_size), static_cast<std::uint64_t>(status.st_mtim.tv_sec),
        static_cast<std::uint64_t>(status.st_mtim.tv_nsec), static_cast<std::uint64_t>(status.st_ctim.tv_sec),
        static_cast<std::uint64_t>(status.st_ctim.tv_nsec)}) {
    identity.push_back('\0');
    append_hexadecimal(identity, number);
  }
  return identity;
}

}  // namespace

std::shared_ptr<const Module> ModuleFinder::find(const Mapping& mapping, bool cached_only) {
  const MappingKind kind = mapping_kind(mapping.path);
  if (kind == MappingKind::vdso) return find_vdso(mapping, cached_only);
  if (kind != MappingKind::file && kind != MappingKind::nameless) return nullptr;
  if (!mapping.build_id.empty())
    if (auto module = cache_.find(mapping.build_id)) return module;
  if (cached_only) return nullptr;
  for (const auto open : {open_below_process_root, open_by_mapping, open_by_path})
    if (auto fd = open(mapping))
      if (auto module = load(mapping, std::move(*fd))) return module;
  return nullptr;
}

std::shared_ptr<const Module> ModuleFinder::load(const Mapping& mapping, UniqueFd fd) {
  std::string key = mapping.build_id;
  if (key.empty()) {
    const auto identity = file_identity(fd.get(), mapping.path);
    if (!identity) return nullptr;
    key = *identity;
    if (auto module = cache_.find(key)) return module;
  }
  const auto file = ElfFile::from_fd(std::move(fd), mapping.path);
  if (!file || (!mapping.build_id.empty() && read_build_id(*file) != mapping.build_id)) return nullptr;
  auto module = std::make_shared<const Module>(*file);
  cache_.insert(key, module);
  return module;
}

std::shared_ptr<const Module> ModuleFinder::find_vdso(const Mapping& mapping, bool cached_only) {
  // That of a 32-bit process is another one.
  constexpr std::uint64_t end_of_32_bit_addresses = std::uint64_t{1} << 32;
  if (mapping.start < end_of_32_bit_addresses) return nullptr;
  if (!vdso_ && cached_only) return nullptr;
  if (!vdso_) {
    const auto file = open_own_vdso();
    if (!file) return nullptr;
    vdso_ = std::make_shared<const Module>(*file);
    vdso_build_id_ = read_build_id(*file).value_or(std::string());
  }
  const bool is_ours = mapping.build_id.empty() || mapping.build_id == vdso_build_id_;
  return is_ours ? vdso_ : nullptr;
}

}  // namespace pilotlight
