// SPDX-License-Identifier: Apache-2.0
#include "common/arm_word.h"

#include <linux/bpf.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "common/clock.h"
#include "common/file.h"

namespace pilotlight {

namespace {

/// bpf(2) without a library: the supervisor links none.
int bpf(bpf_cmd command, bpf_attr& attributes) {
  return static_cast<int>(::syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

bpf_attr element(int map, const std::uint32_t& key, const std::uint64_t& value) {
  bpf_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.map_fd = static_cast<std::uint32_t>(map);
  attributes.key = reinterpret_cast<std::uint64_t>(&key);
  attributes.value = reinterpret_cast<std::uint64_t>(&value);
  return attributes;
}

Result<bpf_map_info> information(int map) {
  bpf_map_info info{};
  bpf_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.info.bpf_fd = static_cast<std::uint32_t>(map);
  attributes.info.info_len = sizeof info;
  attributes.info.info = reinterpret_cast<std::uint64_t>(&info);
  if (bpf(BPF_OBJ_GET_INFO_BY_FD, attributes) != 0) return system_error("cannot inspect the arm word");
  return info;
}

}  // namespace

Result<ArmWord> ArmWord::create() {
  bpf_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.map_type = BPF_MAP_TYPE_ARRAY;
  attributes.key_size = sizeof(std::uint32_t);
  attributes.value_size = sizeof(std::uint64_t);
  attributes.max_entries = 1;
  // BPF programs cannot write it. It is never pinned, so it cannot be found by a path.
  attributes.map_flags = BPF_F_RDONLY_PROG;
  std::strncpy(attributes.map_name, "pilotlight_arm", sizeof attributes.map_name - 1);
  UniqueFd map(bpf(BPF_MAP_CREATE, attributes));
  if (!map)
    return system_error("cannot create the arm word", "run as root or with CAP_BPF, on Linux 5.8 or newer");
  return ArmWord(std::move(map));
}

Result<UniqueFd> ArmWord::read_only_fd() const {
  const auto info = information(map_.get());
  if (!info) return std::unexpected(info.error());
  bpf_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.map_id = info->id;
  attributes.open_flags = BPF_F_RDONLY;
  UniqueFd fd(bpf(BPF_MAP_GET_FD_BY_ID, attributes));
  if (!fd) return system_error("cannot open the arm word for reading", "run as root or with CAP_SYS_ADMIN");
  return fd;
}

bool ArmWord::store(std::uint64_t armed_until_ns) noexcept {
  const std::uint32_t key = 0;
  bpf_attr attributes = element(map_.get(), key, armed_until_ns);
  return bpf(BPF_MAP_UPDATE_ELEM, attributes) == 0;
}

bool ArmWord::grant() noexcept {
  armed_until_ns_ = to_nanoseconds(MonotonicClock::now() + lease_length);
  if (store(armed_until_ns_)) return true;
  armed_until_ns_ = 0;
  return false;
}

bool ArmWord::renew() noexcept {
  if (armed_until_ns_ > to_nanoseconds(MonotonicClock::now()) && grant()) return true;
  disarm();
  return false;
}

bool ArmWord::disarm() noexcept {
  armed_until_ns_ = 0;
  return store(0);
}

Result<std::uint64_t> read_arm_word(int read_only_fd) {
  const std::uint32_t key = 0;
  std::uint64_t value = 0;
  bpf_attr attributes = element(read_only_fd, key, value);
  if (bpf(BPF_MAP_LOOKUP_ELEM, attributes) != 0) return system_error("cannot read the arm word");
  return value;
}

Result<void> verify_arm_word(int fd) {
  const auto info = information(fd);
  if (!info) return std::unexpected(info.error());
  if (info->type != BPF_MAP_TYPE_ARRAY || info->value_size != sizeof(std::uint64_t) || info->max_entries != 1)
    return failure("descriptor " + std::to_string(fd) + " is not an arm word");
  // Writing the value that is there would be harmless; that it is possible would not.
  const auto value = read_arm_word(fd);
  if (!value) return std::unexpected(value.error());
  const std::uint32_t key = 0;
  const std::uint64_t same = *value;
  bpf_attr attributes = element(fd, key, same);
  if (bpf(BPF_MAP_UPDATE_ELEM, attributes) == 0)
    return failure("the arm word is writable here",
                   "only the process that watches the killswitch may write it");
  return {};
}

Result<void> verify_clock_is_the_kernels() {
  // time_namespaces(7): two lines, "monotonic SECONDS NANOSECONDS" and "boottime …". No file, no time
  // namespaces.
  const auto offsets = read_file("/proc/self/timens_offsets");
  if (!offsets) return {};
  std::istringstream lines(*offsets);
  std::string clock;
  long long seconds = 0;
  long long nanoseconds = 0;
  while (lines >> clock >> seconds >> nanoseconds)
    if (seconds != 0 || nanoseconds != 0)
      return failure("this process lives in a time namespace with a shifted " + clock + " clock",
                     "run pilotlight outside it: its lease counts in the kernel's own time");
  return {};
}

}  // namespace pilotlight
