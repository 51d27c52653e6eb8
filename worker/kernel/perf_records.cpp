// SPDX-License-Identifier: Apache-2.0
#include "worker/kernel/perf_records.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <utility>

namespace pilotlight {

Result<PerfRecords> PerfRecords::map(UniqueFd event, std::size_t pages) {
  const std::size_t size = (pages + 1) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, event.get(), 0);
  if (memory == MAP_FAILED)
    return system_error("cannot map the records of process events",
                        "raise kernel.perf_event_mlock_kb or give CAP_IPC_LOCK");
  return PerfRecords(std::move(event), memory, size);
}

PerfRecords::PerfRecords(PerfRecords&& other) noexcept
    : event_(std::move(other.event_)),
      memory_(std::exchange(other.memory_, nullptr)),
      size_(other.size_),
      record_(std::move(other.record_)) {}

PerfRecords& PerfRecords::operator=(PerfRecords&& other) noexcept {
  std::swap(event_, other.event_);
  std::swap(memory_, other.memory_);
  std::swap(size_, other.size_);
  std::swap(record_, other.record_);
  return *this;
}

PerfRecords::~PerfRecords() {
  if (memory_ != nullptr) ::munmap(memory_, size_);
}

void PerfRecords::read(const std::function<void(std::span<const std::byte>)>& receive) {
  auto* page = static_cast<perf_event_mmap_page*>(memory_);
  const auto* data = static_cast<const std::byte*>(memory_) + page->data_offset;
  const std::uint64_t capacity = page->data_size;
  // Acquire: the records up to the head must be seen whole. Release: they must be read before their place is
  // reused.
  const std::uint64_t head = std::atomic_ref(page->data_head).load(std::memory_order_acquire);
  std::uint64_t tail = page->data_tail;
  while (head - tail >= sizeof(perf_event_header)) {
    // A header never wraps: records are multiples of eight bytes, and so is the capacity.
    perf_event_header header{};
    std::memcpy(&header, data + tail % capacity, sizeof header);
    if (header.size < sizeof header || header.size > head - tail) break;
    const std::uint64_t at = tail % capacity;
    const std::uint64_t until_end = capacity - at;
    if (header.size <= until_end) {
      receive({data + at, header.size});
    } else {
      record_.assign(data + at, data + capacity);
      record_.insert(record_.end(), data, data + (header.size - until_end));
      receive(record_);
    }
    tail += header.size;
  }
  std::atomic_ref(page->data_tail).store(head, std::memory_order_release);
}

}  // namespace pilotlight
