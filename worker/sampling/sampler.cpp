// SPDX-License-Identifier: Apache-2.0
#include "worker/sampling/sampler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/clock.h"
#include "worker/kernel/cpu_list.h"
#include "worker/kernel/cpu_time.h"
#include "worker/process/process_scan.h"
#include "worker/sampling/process_event_reader.h"
#include "worker/sampling/sample_reader.h"

namespace pilotlight {

namespace {

// A second of ordinary samples of each CPU at 999 Hz fits, and the worker looks ten times a second.
constexpr std::size_t ring_bytes_per_cpu = 256UL * 1024;
constexpr std::size_t least_ring_bytes = 1024UL * 1024;
constexpr std::size_t feed_pages = 64;

constexpr std::chrono::milliseconds proc_stat_resolution{10};

}  // namespace

Result<Sampler> Sampler::create(const SamplerSettings& settings) {
  const auto cpus = online_cpus();
  if (!cpus) return std::unexpected(cpus.error());
  auto program =
      SamplingProgram::load({.arm_word_fd = settings.arm_word_fd,
                             .only_targets = settings.only_targets,
                             .kernel_stacks = settings.kernel_stacks,
                             .ring_bytes = std::max(least_ring_bytes, cpus->size() * ring_bytes_per_cpu)});
  if (!program) return std::unexpected(program.error());
  std::vector<PerfRecords> feeds;
  for (const int cpu : *cpus) {
    auto feed = open_process_feed(cpu);
    if (!feed) return std::unexpected(feed.error());
    auto records = PerfRecords::map(std::move(*feed), feed_pages);
    if (!records) return std::unexpected(records.error());
    feeds.push_back(std::move(*records));
    auto event = open_sampling_event(settings.event, cpu, settings.frequency);
    if (!event) return std::unexpected(event.error());
    if (auto attached = program->attach(std::move(*event)); !attached)
      return std::unexpected(attached.error());
  }
  if (settings.only_targets)
    if (auto following = program->attach_following(); !following) return std::unexpected(following.error());
  return Sampler(std::move(*program), std::move(feeds), settings, cpus->size());
}

Result<void> Sampler::add_target(std::uint32_t pid) {
  const auto start = process_start_ticks(pid);
  if (!start) return failure("there is no process " + std::to_string(pid), "check the pid with `ps`");
  return program_.add_target(pid, *start);
}

Result<void> Sampler::begin() {
  auto now = moment();
  if (!now) return std::unexpected(now.error());
  tallied_ = *now;
  return program_.enable();
}

Result<void> Sampler::end() {
  auto disabled = program_.disable();
  auto now = moment();
  if (!now) return std::unexpected(now.error());
  end_ = *now;
  return disabled;
}

Batch Sampler::collect() {
  Batch batch;
  // Samples first: every event that explains one of them is then already there.
  program_.read_samples([&batch](std::span<const std::byte> record) {
    if (auto sample = read_sample(record)) batch.samples.push_back(std::move(*sample));
  });
  for (auto& feed : feeds_)
    feed.read([&batch](std::span<const std::byte> record) {
      if (auto event = read_process_event(record)) batch.events.push_back(std::move(*event));
    });
  return batch;
}

Result<Sampler::Moment> Sampler::moment() const {
  Moment now;
  now.time = MonotonicClock::now().time_since_epoch();
  const auto counters = program_.counters();
  if (!counters) return std::unexpected(counters.error());
  now.counters = *counters;
  const auto machine = machine_cpu_time();
  if (!machine) return std::unexpected(machine.error());
  // By the clock: what the CPUs did not idle away. The kernel's own figure of busy time is a sample itself.
  now.not_idle_time = now.time * cpus_ - machine->idle;
  if (!settings_.only_targets) {
    now.cpu_time = now.not_idle_time - machine->stolen;
    return now;
  }
  for (const std::uint32_t pid : program_.targets()) now.cpu_time += process_cpu_time(pid);
  now.cpu_time += std::chrono::nanoseconds(counters->exited_cpu_ns);
  return now;
}

Result<SamplingTally> Sampler::take_tally() {
  const auto now = end_ ? Result<Moment>(*end_) : moment();
  if (!now) return std::unexpected(now.error());
  const Moment& last = *now;
  const Moment first = std::exchange(tallied_, last);
  const auto ticks_of = [this](std::chrono::nanoseconds time) {
    const auto ticks = std::max<std::int64_t>(0, time.count()) / (1'000'000'000 / settings_.frequency);
    return static_cast<std::uint64_t>(ticks);
  };
  const auto since = [&](__u64 pilotlight_counters::* member) -> std::uint64_t {
    return last.counters.*member - first.counters.*member;
  };
  SamplingTally tally;
  tally.duration = last.time - first.time;
  tally.samples = since(&pilotlight_counters::samples);
  tally.lost = since(&pilotlight_counters::lost);
  tally.busy_ticks = tally.samples + tally.lost + since(&pilotlight_counters::other_ticks);
  // /proc/stat is exact to a tick of each CPU, at either end; a difference within that says nothing.
  const std::uint64_t due = ticks_of(last.not_idle_time - first.not_idle_time);
  const std::uint64_t noise = ticks_of(proc_stat_resolution * 2 * cpus_) + cpus_;
  tally.missed_ticks = due > tally.busy_ticks + noise ? due - tally.busy_ticks : 0;
  tally.expected = ticks_of(last.cpu_time - first.cpu_time);
  return tally;
}

}  // namespace pilotlight
