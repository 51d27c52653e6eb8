// SPDX-License-Identifier: Apache-2.0
#include "worker/sampling/process_event_reader.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace pilotlight {

namespace {

// The layouts of perf_event_open(2). Every record ends with the trailer that open_process_feed() asks for.
struct Trailer {
  std::uint32_t pid, tid;
  std::uint64_t time_ns;
};
struct TaskRecord {
  perf_event_header header;
  std::uint32_t pid, parent_pid, tid, parent_tid;
  std::uint64_t time_ns;
};
struct CommRecord {
  perf_event_header header;
  std::uint32_t pid, tid;
};
struct LostRecord {
  perf_event_header header;
  std::uint64_t id, lost;
};
struct Mmap2Record {
  perf_event_header header;
  std::uint32_t pid, tid;
  std::uint64_t address, length, file_offset;
  union {
    struct {
      std::uint32_t major, minor;
      std::uint64_t inode, generation;
    } file;
    struct {
      std::uint8_t size, reserved1;
      std::uint16_t reserved2;
      std::uint8_t bytes[20];
    } build_id;
  };
  std::uint32_t protection, flags;
};

template <class Record>
std::optional<Record> fixed_part(std::span<const std::byte> bytes) {
  Record record{};
  if (bytes.size() < sizeof record + sizeof(Trailer)) return std::nullopt;
  std::memcpy(&record, bytes.data(), sizeof record);
  return record;
}

std::string hexadecimal(const std::uint8_t* bytes, std::size_t count) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += digits[bytes[i] >> 4U];
    text += digits[bytes[i] & 15U];
  }
  return text;
}

std::string path_of(std::span<const std::byte> name_bytes) {
  constexpr std::string_view deleted = " (deleted)";
  const auto* begin = reinterpret_cast<const char*>(name_bytes.data());
  std::string path(begin, ::strnlen(begin, name_bytes.size()));
  if (path.ends_with(deleted)) path.resize(path.size() - deleted.size());
  return path;
}

std::optional<ProcessEvent> mapped(std::span<const std::byte> bytes, std::uint64_t time_ns) {
  const auto record = fixed_part<Mmap2Record>(bytes);
  if (!record || (record->protection & PROT_EXEC) == 0) return std::nullopt;
  auto file = std::make_shared<MappedFile>();
  file->path = path_of(bytes.subspan(sizeof *record, bytes.size() - sizeof *record - sizeof(Trailer)));
  if ((record->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0 &&
      record->build_id.size <= sizeof record->build_id.bytes)
    file->build_id =
        hexadecimal(static_cast<const std::uint8_t*>(record->build_id.bytes), record->build_id.size);
  return ProcessEvent{.time_ns = time_ns,
                      .what = MemoryMapped{.pid = record->pid,
                                           .region = {.start = record->address,
                                                      .limit = record->address + record->length,
                                                      .file_offset = record->file_offset,
                                                      .file = std::move(file)}}};
}

std::optional<ProcessEvent> of_task(std::span<const std::byte> bytes, std::uint64_t time_ns) {
  const auto record = fixed_part<TaskRecord>(bytes);
  if (!record) return std::nullopt;
  if (record->header.type == PERF_RECORD_EXIT) {
    if (record->pid != record->tid) return std::nullopt;
    return ProcessEvent{.time_ns = time_ns, .what = ProcessExited{.pid = record->pid}};
  }
  if (record->pid == record->parent_pid) return std::nullopt;  // a new thread
  return ProcessEvent{.time_ns = time_ns,
                      .what = ProcessForked{.pid = record->pid, .parent_pid = record->parent_pid}};
}

std::optional<ProcessEvent> renamed(std::span<const std::byte> bytes, std::uint64_t time_ns) {
  const auto record = fixed_part<CommRecord>(bytes);
  if (!record || (record->header.misc & PERF_RECORD_MISC_COMM_EXEC) == 0) return std::nullopt;
  return ProcessEvent{.time_ns = time_ns, .what = ProcessExecuted{.pid = record->pid}};
}

std::optional<ProcessEvent> lost(std::span<const std::byte> bytes, std::uint64_t time_ns) {
  const auto record = fixed_part<LostRecord>(bytes);
  if (!record) return std::nullopt;
  return ProcessEvent{.time_ns = time_ns, .what = EventsLost{.count = record->lost}};
}

}  // namespace

std::optional<ProcessEvent> read_process_event(std::span<const std::byte> record) {
  if (record.size() < sizeof(perf_event_header) + sizeof(Trailer)) return std::nullopt;
  perf_event_header header{};
  Trailer trailer{};
  std::memcpy(&header, record.data(), sizeof header);
  std::memcpy(&trailer, record.last(sizeof trailer).data(), sizeof trailer);
  switch (header.type) {
    case PERF_RECORD_MMAP2:
      return mapped(record, trailer.time_ns);
    case PERF_RECORD_COMM:
      return renamed(record, trailer.time_ns);
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
      return of_task(record, trailer.time_ns);
    case PERF_RECORD_LOST:
      return lost(record, trailer.time_ns);
    default:
      return std::nullopt;
  }
}

}  // namespace pilotlight
