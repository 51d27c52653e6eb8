// SPDX-License-Identifier: Apache-2.0
#include "worker/process/process_table.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>

#include "worker/process/process_scan.h"

namespace pilotlight {

namespace {

// Beyond any real pid: nothing of them is read from /proc.
constexpr std::uint32_t parent = 4'000'000'000;
constexpr std::uint32_t child = 4'000'000'001;

void map(ProcessTable& table, std::uint32_t pid, std::uint64_t start, std::uint64_t limit,
         const std::string& path, std::uint64_t file_offset = 0) {
  table.apply({.time_ns = 0,
               .what = MemoryMapped{.pid = pid,
                                    .region = {.start = start,
                                               .limit = limit,
                                               .file_offset = file_offset,
                                               .file = std::make_shared<MappedFile>(MappedFile{path, ""})}}});
}

std::string path_at(ProcessTable& table, std::uint32_t pid, std::uint64_t address,
                    std::uint64_t start_ns = 1) {
  const MappedRegion* region = table.find({.pid = pid, .start_ns = start_ns}, address);
  return region == nullptr ? "" : region->file->path;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process_table)

BOOST_AUTO_TEST_CASE(an_address_is_found_in_the_region_that_holds_it) {
  ProcessTable table;
  map(table, parent, 0x1000, 0x2000, "a");
  map(table, parent, 0x3000, 0x4000, "b");
  BOOST_TEST(path_at(table, parent, 0x0fff) == "");
  BOOST_TEST(path_at(table, parent, 0x1000) == "a");
  BOOST_TEST(path_at(table, parent, 0x1fff) == "a");
  BOOST_TEST(path_at(table, parent, 0x2000) == "");
  BOOST_TEST(path_at(table, parent, 0x3fff) == "b");
  BOOST_TEST(path_at(table, parent, UINT64_MAX) == "");
}

BOOST_AUTO_TEST_CASE(a_new_mapping_cuts_what_it_covers) {
  ProcessTable table;
  map(table, parent, 0x1000, 0x9000, "old", 0x100000);
  map(table, parent, 0x3000, 0x5000, "new");
  BOOST_TEST(path_at(table, parent, 0x2fff) == "old");
  BOOST_TEST(path_at(table, parent, 0x3000) == "new");
  BOOST_TEST(path_at(table, parent, 0x5000) == "old");
  const MappedRegion* rest = table.find({.pid = parent, .start_ns = 1}, 0x8000);
  BOOST_REQUIRE(rest != nullptr);
  BOOST_TEST(rest->start == 0x5000U);
  BOOST_TEST(rest->file_offset == 0x104000U);  // the file's bytes stay where they were
  map(table, parent, 0, 0x10000, "all");
  BOOST_TEST(path_at(table, parent, 0x1000) == "all");
  BOOST_TEST(path_at(table, parent, 0x8000) == "all");
}

BOOST_AUTO_TEST_CASE(a_child_is_born_with_its_parents_memory_and_exec_clears_it) {
  ProcessTable table;
  map(table, parent, 0x1000, 0x2000, "program");
  table.apply({.time_ns = 1, .what = ProcessForked{.pid = child, .parent_pid = parent}});
  BOOST_TEST(path_at(table, child, 0x1800) == "program");
  table.apply({.time_ns = 2, .what = ProcessExecuted{.pid = child}});
  map(table, child, 0x7000, 0x8000, "other");
  BOOST_TEST(path_at(table, child, 0x1800) == "");
  BOOST_TEST(path_at(table, child, 0x7800) == "other");
  BOOST_TEST(path_at(table, parent, 0x1800) == "program");
}

BOOST_AUTO_TEST_CASE(a_pid_used_again_does_not_mean_the_old_process) {
  ProcessTable table;
  map(table, child, 0x1000, 0x2000, "first");
  BOOST_TEST(path_at(table, child, 0x1800, 1) == "first");
  // By the birth that a sample tells, where the notice of the fork was lost …
  BOOST_TEST(path_at(table, child, 0x1800, 2) == "");
  // … and by the notice.
  map(table, child, 0x1000, 0x2000, "second");
  table.apply({.time_ns = 1, .what = ProcessForked{.pid = child, .parent_pid = parent}});
  BOOST_TEST(path_at(table, child, 0x1800, 3) == "");
}

BOOST_AUTO_TEST_CASE(ended_processes_are_forgotten_but_not_at_once) {
  ProcessTable table;
  map(table, child, 0x1000, 0x2000, "program");
  table.apply({.time_ns = 1, .what = ProcessExited{.pid = child}});
  table.forget_ended();
  BOOST_TEST(path_at(table, child, 0x1800) == "program");  // samples of its last moments may still come
  table.forget_ended();
  BOOST_TEST(table.size() == 0U);
}

BOOST_AUTO_TEST_CASE(a_process_whose_first_thread_has_ended_lives_on_while_others_run) {
  ProcessTable table;
  const auto self = static_cast<std::uint32_t>(::getpid());
  map(table, self, 0x1000, 0x2000, "program");
  table.apply({.time_ns = 1, .what = ProcessExited{.pid = self}});
  for (int batch = 0; batch < 5; ++batch) table.forget_ended();
  BOOST_TEST(table.size() == 1U);
}

BOOST_AUTO_TEST_CASE(losses_are_summed_up) {
  ProcessTable table;
  table.apply({.time_ns = 1, .what = EventsLost{.count = 3}});
  table.apply({.time_ns = 2, .what = EventsLost{.count = 4}});
  BOOST_TEST(table.events_lost() == 7U);
}

BOOST_AUTO_TEST_CASE(a_process_that_no_event_told_of_is_read_from_proc) {
  ProcessTable table;
  const auto address = reinterpret_cast<std::uint64_t>(&path_at);
  const std::string path = path_at(table, static_cast<std::uint32_t>(::getpid()), address);
  BOOST_TEST(path.ends_with("pilotlight_process_test"));
}

BOOST_AUTO_TEST_CASE(all_existing_processes_are_read_at_the_start) {
  ProcessTable table;
  table.read_existing();
  BOOST_TEST(table.size() >= 1U);
  BOOST_TEST(path_at(table, static_cast<std::uint32_t>(::getpid()),
                     reinterpret_cast<std::uint64_t>(&path_at)) != "");
}

BOOST_AUTO_TEST_CASE(many_mappings_of_one_process_stay_searchable) {
  ProcessTable table;
  for (std::uint64_t i = 0; i < 2'000; ++i)
    map(table, parent, 0x10000 * (i + 1), 0x10000 * (i + 1) + 0x1000, "m");
  BOOST_TEST(path_at(table, parent, 0x10000ULL * 2'000 + 0xfff) == "m");
  BOOST_TEST(path_at(table, parent, 0x10000ULL * 1'000 + 0x1000) == "");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(process_scan)

BOOST_AUTO_TEST_CASE(this_process_and_its_executable_memory_are_there) {
  const auto self = static_cast<std::uint32_t>(::getpid());
  BOOST_TEST(process_exists(self));
  BOOST_TEST(process_start_ticks(self).has_value());
  bool vdso = false;
  for (const auto& region : executable_regions(self)) vdso |= region.file->path == "[vdso]";
  BOOST_TEST(vdso);
}

BOOST_AUTO_TEST_CASE(memory_without_a_file_is_called_as_the_kernels_records_call_it) {
  void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  BOOST_REQUIRE(memory != MAP_FAILED);
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  bool found = false;
  for (const auto& region : executable_regions(static_cast<std::uint32_t>(::getpid())))
    found |= region.start <= address && address < region.limit && region.file->path == "//anon";
  BOOST_TEST(found);
  ::munmap(memory, 4096);
}

BOOST_AUTO_TEST_CASE(a_process_that_is_not_there_has_nothing) {
  BOOST_TEST(!process_exists(parent));
  BOOST_TEST(executable_regions(parent).empty());
  BOOST_TEST(!process_start_ticks(parent).has_value());
  BOOST_TEST(with_descendants(999'999'999).empty());
}

BOOST_AUTO_TEST_CASE(descendants_come_after_their_parent) {
  const auto family = with_descendants(static_cast<std::uint32_t>(::getppid()));
  BOOST_REQUIRE(family.size() >= 2U);
  BOOST_TEST(family.front() == static_cast<std::uint32_t>(::getppid()));
  BOOST_CHECK(std::ranges::find(family, static_cast<std::uint32_t>(::getpid())) != family.end());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
