// SPDX-License-Identifier: Apache-2.0
#include "worker/process/process_table.h"

#include <algorithm>
#include <iterator>

#include "worker/process/process_scan.h"

namespace pilotlight {

namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};

std::string key_of(const MappedFile& file) { return file.path + '\0' + file.build_id; }

}  // namespace

void ProcessTable::read_existing() {
  for (const std::uint32_t pid : existing_processes())
    if (!processes_.contains(pid)) processes_.emplace(pid, read_process(pid));
}

ProcessTable::Process ProcessTable::read_process(std::uint32_t pid) {
  Process process;
  for (const auto& region : executable_regions(pid)) map(process, region);
  return process;
}

void ProcessTable::apply(const ProcessEvent& event) {
  std::visit(Overloaded{
                 [this](const ProcessForked& forked) {
                   // A process is born with its parent's memory, and its pid no longer means an older one.
                   const auto parent = processes_.find(forked.parent_pid);
                   Process child;
                   if (parent != processes_.end()) child.regions = parent->second.regions;
                   processes_.insert_or_assign(forked.pid, std::move(child));
                 },
                 [this](const ProcessExecuted& executed) { processes_[executed.pid].regions.clear(); },
                 [this](const ProcessExited& exited) {
                   if (const auto found = processes_.find(exited.pid); found != processes_.end())
                     found->second.exited = true;
                 },
                 [this](const MemoryMapped& mapped) { map(processes_[mapped.pid], mapped.region); },
                 [this](const EventsLost& lost) { events_lost_ += lost.count; },
             },
             event.what);
}

void ProcessTable::map(Process& process, const MappedRegion& region) {
  if (region.start >= region.limit) return;
  auto& regions = process.regions;
  // The new region replaces what it covers; an old one may stick out on either side.
  std::vector<MappedRegion> remains;
  const auto covered = [&](const MappedRegion& old) {
    return old.start < region.limit && region.start < old.limit;
  };
  for (const auto& old : regions) {
    if (!covered(old)) continue;
    if (old.start < region.start)
      remains.push_back(
          {.start = old.start, .limit = region.start, .file_offset = old.file_offset, .file = old.file});
    if (old.limit > region.limit)
      remains.push_back({.start = region.limit,
                         .limit = old.limit,
                         .file_offset = old.file_offset + (region.limit - old.start),
                         .file = old.file});
  }
  std::erase_if(regions, covered);
  remains.push_back(region);
  remains.back().file = intern(region.file);
  regions.insert(regions.end(), std::make_move_iterator(remains.begin()),
                 std::make_move_iterator(remains.end()));
  std::ranges::sort(regions, {}, &MappedRegion::start);
}

std::shared_ptr<const MappedFile> ProcessTable::intern(const std::shared_ptr<const MappedFile>& file) {
  return files_.try_emplace(key_of(*file), file).first->second;
}

const MappedRegion* ProcessTable::find(const ProcessId& process, std::uint64_t address) {
  auto found = processes_.find(process.pid);
  if (found == processes_.end() ||
      (found->second.start_ns != 0 && found->second.start_ns != process.start_ns))
    found = processes_.insert_or_assign(process.pid, read_process(process.pid)).first;
  found->second.start_ns = process.start_ns;
  const auto& regions = found->second.regions;
  const auto after = std::ranges::upper_bound(regions, address, {}, &MappedRegion::start);
  if (after == regions.begin()) return nullptr;
  const auto& candidate = *std::prev(after);
  return address < candidate.limit ? &candidate : nullptr;
}

void ProcessTable::forget_ended() {
  for (auto entry = processes_.begin(); entry != processes_.end();) {
    Process& process = entry->second;
    const bool gone = process.exited && ++process.batches_since_exit > 1 && !process_exists(entry->first);
    entry = gone ? processes_.erase(entry) : std::next(entry);
  }
  std::erase_if(files_, [](const auto& entry) { return entry.second.use_count() == 1; });
}

}  // namespace pilotlight
