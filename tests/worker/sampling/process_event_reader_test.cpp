// SPDX-License-Identifier: Apache-2.0
#include "worker/sampling/process_event_reader.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <string>
#include <vector>

namespace pilotlight {

namespace {

/// A record put together field by field, as perf_event_open(2) lists them.
class Record {
 public:
  Record(std::uint32_t type, std::uint16_t misc) {
    add(perf_event_header{.type = type, .misc = misc, .size = 0});
  }

  template <class Value>
  Record& add(const Value& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
    return *this;
  }

  /// A string with its zero, filled up to a multiple of eight.
  Record& add_text(const std::string& text) {
    for (const char character : text) bytes_.push_back(static_cast<std::byte>(character));
    do {
      bytes_.push_back(std::byte{0});
    } while (bytes_.size() % 8 != 0);
    return *this;
  }

  /// With pid, tid and time behind it.
  std::vector<std::byte> finish(std::uint64_t time_ns) {
    add(std::uint32_t{7}).add(std::uint32_t{8}).add(time_ns);
    const auto size = static_cast<std::uint16_t>(bytes_.size());
    std::memcpy(bytes_.data() + offsetof(perf_event_header, size), &size, sizeof size);
    return bytes_;
  }

 private:
  std::vector<std::byte> bytes_;
};

std::vector<std::byte> mapping_record(std::uint16_t misc, std::uint32_t protection, const std::string& path) {
  Record record(PERF_RECORD_MMAP2, misc);
  record.add(std::uint32_t{7}).add(std::uint32_t{8});
  record.add(std::uint64_t{0x1000}).add(std::uint64_t{0x2000}).add(std::uint64_t{0x3000});
  // A build ID of four bytes in the place of device and inode.
  record.add(std::uint32_t{4}).add(std::uint32_t{0xefbeadde}).add(std::uint64_t{0}).add(std::uint64_t{0});
  record.add(protection).add(std::uint32_t{MAP_PRIVATE}).add_text(path);
  return record.finish(99);
}

std::vector<std::byte> task_record(std::uint32_t type, std::uint32_t pid, std::uint32_t parent,
                                   std::uint32_t tid) {
  return Record(type, 0)
      .add(pid)
      .add(parent)
      .add(tid)
      .add(std::uint32_t{1})
      .add(std::uint64_t{99})
      .finish(99);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process_event_reader)

BOOST_AUTO_TEST_CASE(a_mapping_with_a_build_id) {
  const auto event = read_process_event(mapping_record(PERF_RECORD_MISC_MMAP_BUILD_ID, PROT_READ | PROT_EXEC,
                                                       "/usr/lib/with space.so (deleted)"));
  BOOST_REQUIRE(event);
  BOOST_TEST(event->time_ns == 99U);
  const auto& mapped = std::get<MemoryMapped>(event->what);
  BOOST_TEST(mapped.pid == 7U);
  BOOST_TEST(mapped.region.start == 0x1000U);
  BOOST_TEST(mapped.region.limit == 0x3000U);
  BOOST_TEST(mapped.region.file_offset == 0x3000U);
  BOOST_TEST(mapped.region.file->path == "/usr/lib/with space.so");
  BOOST_TEST(mapped.region.file->build_id == "deadbeef");
}

BOOST_AUTO_TEST_CASE(a_mapping_with_device_and_inode_has_no_build_id) {
  const auto event = read_process_event(mapping_record(0, PROT_EXEC, "/x"));
  BOOST_REQUIRE(event);
  BOOST_TEST(std::get<MemoryMapped>(event->what).region.file->build_id.empty());
}

BOOST_AUTO_TEST_CASE(memory_that_is_not_executable_is_of_no_interest) {
  BOOST_CHECK(!read_process_event(mapping_record(0, PROT_READ | PROT_WRITE, "/x")));
}

BOOST_AUTO_TEST_CASE(forks_of_processes_count_and_new_threads_do_not) {
  const auto forked = read_process_event(task_record(PERF_RECORD_FORK, 10, 9, 10));
  BOOST_REQUIRE(forked);
  BOOST_TEST(std::get<ProcessForked>(forked->what).pid == 10U);
  BOOST_TEST(std::get<ProcessForked>(forked->what).parent_pid == 9U);
  BOOST_CHECK(!read_process_event(task_record(PERF_RECORD_FORK, 10, 10, 11)));
}

BOOST_AUTO_TEST_CASE(the_end_of_the_first_thread_counts_and_of_others_does_not) {
  const auto exited = read_process_event(task_record(PERF_RECORD_EXIT, 10, 9, 10));
  BOOST_REQUIRE(exited);
  BOOST_TEST(std::get<ProcessExited>(exited->what).pid == 10U);
  BOOST_CHECK(!read_process_event(task_record(PERF_RECORD_EXIT, 10, 9, 11)));
}

BOOST_AUTO_TEST_CASE(a_new_name_counts_only_if_it_comes_with_an_exec) {
  const auto comm = [](std::uint16_t misc) {
    return Record(PERF_RECORD_COMM, misc)
        .add(std::uint32_t{10})
        .add(std::uint32_t{10})
        .add_text("name")
        .finish(1);
  };
  const auto executed = read_process_event(comm(PERF_RECORD_MISC_COMM_EXEC));
  BOOST_REQUIRE(executed);
  BOOST_TEST(std::get<ProcessExecuted>(executed->what).pid == 10U);
  BOOST_CHECK(!read_process_event(comm(0)));
}

BOOST_AUTO_TEST_CASE(losses_are_told) {
  const auto lost =
      read_process_event(Record(PERF_RECORD_LOST, 0).add(std::uint64_t{1}).add(std::uint64_t{17}).finish(1));
  BOOST_REQUIRE(lost);
  BOOST_TEST(std::get<EventsLost>(lost->what).count == 17U);
}

BOOST_AUTO_TEST_CASE(records_cut_short_are_refused_at_every_length) {
  const auto whole = mapping_record(PERF_RECORD_MISC_MMAP_BUILD_ID, PROT_EXEC, "/usr/lib/x.so");
  // Without its last eight bytes of name and the trailer it still is a record with a shorter name.
  for (std::size_t length = 0; length < sizeof(perf_event_header) + 16; ++length)
    BOOST_CHECK(!read_process_event(std::span(whole).first(length)));
  for (std::size_t length = 0; length < whole.size(); ++length)
    static_cast<void>(
        read_process_event(std::span(whole).first(length)));  // must not read past the end (sanitizers)
  BOOST_CHECK(!read_process_event(Record(9999, 0).finish(1)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
