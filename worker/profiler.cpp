// SPDX-License-Identifier: Apache-2.0
#include "worker/profiler.h"

#include <sys/utsname.h>

#include <utility>

#include "common/fatal_error.h"
#include "common/log.h"
#include "common/version.h"
#include "worker/kernel/preflight.h"
#include "worker/process/process_scan.h"

namespace pilotlight {

namespace {

constexpr std::chrono::milliseconds order_interval{100};

Sampler make_sampler(const Options& options, const RunnerLink& runner) {
  value_or_throw(check_machine(), ExitCode::not_permitted);
  const bool only_targets = !options.pids.empty() || options.launched_pid != 0;
  auto sampler = value_or_throw(
      Sampler::create({.arm_word_fd = runner.arm_word_fd(),
                       .frequency = options.frequency,
                       .event = options.cycles ? SamplingEvent::cycles : SamplingEvent::cpu_clock,
                       .only_targets = only_targets,
                       .kernel_stacks = options.kernel_stacks}),
      ExitCode::not_permitted);
  if (options.launched_pid != 0)
    value_or_throw(sampler.add_target(options.launched_pid), ExitCode::no_such_process);
  for (const std::uint32_t pid : options.pids) {
    value_or_throw(sampler.add_target(pid), ExitCode::no_such_process);
    // A child may be gone by now; that is no error.
    for (const std::uint32_t relative : with_descendants(pid))
      static_cast<void>(sampler.add_target(relative));
  }
  return sampler;
}

/// What a reader of the file needs to know of its origin.
std::vector<std::string> origin(const Options& options) {
  utsname name{};
  ::uname(&name);
  const auto text = [](const auto& field) { return std::string(static_cast<const char*>(field)); };
  std::vector<std::string> comments{
      "host: " + text(name.nodename),
      "kernel: " + text(name.sysname) + " " + text(name.release) + " " + text(name.machine),
      std::string("profiler: pilotlight ") + version};
  if (!options.pids.empty()) {
    std::string pids = "processes:";
    for (const std::uint32_t pid : options.pids) pids += " " + std::to_string(pid);
    comments.push_back(pids);
  }
  return comments;
}

}  // namespace

Profiler::Profiler(const Options& options, RunnerLink& runner)
    : sampler_(make_sampler(options, runner)),
      builder_(options.per_thread),
      runner_(runner),
      frequency_(options.frequency),
      comments_(origin(options)) {
  // After the feed of events is open, so that no process falls between the two.
  processes_.read_existing();
  runner_.tell_ready(sampler_.program_ids());
}

Order Profiler::begin() {
  for (;;) {
    const Order order = runner_.wait(order_interval);
    if (order == Order::none) continue;
    if (order == Order::begin) {
      value_or_throw(sampler_.begin());
      window_start_ = std::chrono::system_clock::now();
    }
    return order;
  }
}

void Profiler::collect() {
  Batch batch = sampler_.collect();
  replay(
      batch, [this](const ProcessEvent& event) { processes_.apply(event); },
      [this](const Sample& sample) { builder_.add(sample, processes_); });
  processes_.forget_ended();
}

void Profiler::end() {
  if (const auto ended = sampler_.end(); !ended) log(Severity::error, ended.error().message());
  collect();
}

Profile Profiler::cut() {
  collect();
  const auto tally = sampler_.take_tally();
  Profile profile = builder_.take();
  profile.start = std::exchange(window_start_, std::chrono::system_clock::now());
  profile.frequency = frequency_;
  profile.comments = comments_;
  auto& accounting = profile.accounting;
  if (tally) {
    profile.duration = tally->duration;
    accounting.expected = tally->expected;
    accounting.lost = tally->lost;
    accounting.missed_ticks = tally->missed_ticks;
  } else {
    log(Severity::error, "no figures of what is missing from the profile: " + tally.error().message());
  }
  accounting.process_events_lost =
      processes_.events_lost() - std::exchange(events_lost_before_, processes_.events_lost());
  return profile;
}

void Profiler::name_frames(Profile& profile, bool quick) {
  symbolizer_.symbolize(profile, quick ? SymbolizeEffort::quick : SymbolizeEffort::full);
  runner_.beat();
}

}  // namespace pilotlight
