// SPDX-License-Identifier: Apache-2.0
#include "worker/sampling/sample_reader.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "bpf/records.h"

namespace pilotlight {

namespace {

std::string name_of(const char (&name)[PILOTLIGHT_NAME_SIZE]) {
  return {static_cast<const char*>(name), ::strnlen(static_cast<const char*>(name), sizeof name)};
}

std::vector<std::uint64_t> take_addresses(std::span<const std::byte>& bytes, std::size_t count) {
  std::vector<std::uint64_t> addresses(count);
  if (count > 0) std::memcpy(addresses.data(), bytes.data(), count * sizeof addresses[0]);
  bytes = bytes.subspan(count * sizeof addresses[0]);
  return addresses;
}

StackEnd stack_end(std::uint8_t value) {
  switch (value) {
    case PILOTLIGHT_END_COMPLETE:
      return StackEnd::complete;
    case PILOTLIGHT_END_NO_USER_STACK:
      return StackEnd::no_user_stack;
    case PILOTLIGHT_END_DEPTH:
      return StackEnd::depth;
    case PILOTLIGHT_END_UNREADABLE:
      return StackEnd::unreadable;
    default:
      return StackEnd::broken;
  }
}

}  // namespace

std::optional<Sample> read_sample(std::span<const std::byte> record) {
  pilotlight_sample header{};
  if (record.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, record.data(), sizeof header);
  record = record.subspan(sizeof header);
  const std::size_t frames = std::size_t{header.kernel_frames} + header.user_frames;
  if (record.size() != frames * sizeof(std::uint64_t)) return std::nullopt;
  Sample sample{.time_ns = header.time_ns,
                .process = {.pid = header.pid, .start_ns = header.process_start_ns},
                .thread_id = header.tid,
                .cpu = header.cpu,
                .thread_name = name_of(header.thread_name),
                .process_name = name_of(header.process_name),
                .user_end = stack_end(header.user_end),
                .kernel_stack = {},
                .user_stack = {}};
  sample.kernel_stack = take_addresses(record, header.kernel_frames);
  sample.user_stack = take_addresses(record, header.user_frames);
  return sample;
}

}  // namespace pilotlight
