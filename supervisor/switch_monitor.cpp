// SPDX-License-Identifier: Apache-2.0
#include "supervisor/switch_monitor.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "supervisor/self_protection.h"

namespace pilotlight {

namespace {

constexpr std::chrono::seconds shortest_watcher_life{1};
constexpr std::chrono::seconds verdict_period{1};

/// So many a turn: more than a socket can hold, and a bound on a watcher that floods.
constexpr int most_reports = 1024;

std::string text_of(int error_number) { return std::generic_category().message(error_number); }

}  // namespace

Result<SwitchMonitor> SwitchMonitor::start(bool overridden) {
  auto watcher = KillswitchWatcher::start(KillswitchWatcher::Directory::must_stay);
  if (!watcher) return std::unexpected(watcher.error());
  return SwitchMonitor(std::move(*watcher), overridden, MonotonicClock::now());
}

SwitchMonitor::SwitchMonitor(KillswitchWatcher watcher, bool overridden, TimePoint now)
    : overridden_(overridden), next_verdict_(now + verdict_period) {
  adopt(std::move(watcher), now);
}

void SwitchMonitor::adopt(KillswitchWatcher watcher, TimePoint now) {
  raise_priority(watcher.pid());
  watcher_.emplace(std::move(watcher));
  watcher_started_ = now;
  last_check_ = now;
  silent_ = false;
}

SwitchMonitor::TimePoint SwitchMonitor::next_deadline() const {
  const TimePoint silence = last_check_ + watcher_silence_limit;
  TimePoint deadline = silence;
  if (!watcher_) deadline = watcher_started_ + shortest_watcher_life;
  if (silent_) deadline = next_verdict_;
  return overridden_ ? std::min(next_verdict_, deadline) : deadline;
}

SwitchMonitor::Verdict SwitchMonitor::listen(TimePoint now) noexcept {
  Verdict verdict = hear_reports(now);
  if (watcher_ && !silent_ && now - last_check_ >= watcher_silence_limit) {
    silent_ = true;
    next_verdict_ = now;
    watcher_->kill();
    conclude(Ground::silent, 0);
  }
  if (silent_ && now >= next_verdict_) verdict = Verdict::engaged;
  if (overridden_)
    verdict = verdict != Verdict::none || now >= next_verdict_ ? Verdict::released : Verdict::none;
  if (verdict != Verdict::none) next_verdict_ = now + verdict_period;
  return verdict;
}

SwitchMonitor::Verdict SwitchMonitor::hear_reports(TimePoint now) noexcept {
  bool engaged = false;
  bool released = false;
  Ground ground = ground_;
  int error_number = 0;
  for (int i = 0; watcher_ && i < most_reports; ++i) {
    const KillswitchWatcher::Received received = watcher_->receive();
    if (received.ended) {
      // A silent one that is dead at last was spoken for when it fell silent.
      if (!silent_) conclude(Ground::watcher_ended, 0);
      engaged = true;
      silent_ = false;
      ground = ground_;
      error_number = error_number_;
      watcher_.reset();
      break;
    }
    if (!received.report) break;
    const Verdict verdict = weigh(*received.report, now);
    if (verdict == Verdict::engaged) {
      engaged = true;
      ground = ground_;
      error_number = error_number_;
    }
    released = released || verdict == Verdict::released;
  }
  // A pulse and the "released" after it in one turn: the pulse is what acts and what is told.
  if (engaged) {
    conclude(ground, error_number);
    return Verdict::engaged;
  }
  return released ? Verdict::released : Verdict::none;
}

SwitchMonitor::Verdict SwitchMonitor::weigh(const SwitchReport& report, TimePoint now) noexcept {
  const TimePoint checked{std::chrono::nanoseconds(report.checked_at_ns)};
  last_check_ = std::max(last_check_, std::min(checked, now));
  if (report.directory) directory_ = report.directory;
  if (report.reason_length > 0) {
    reason_length_ = std::min<std::size_t>(report.reason_length, reason_.size());
    std::copy_n(report.reason, reason_length_, reason_.begin());
    reason_is_new_ = true;
  }
  if (report.engaged()) {
    const SwitchReading& reading = report.reading;
    if (reading.state == SwitchState::engaged)
      conclude(Ground::present, 0);
    else if (report.appeared)
      conclude(Ground::pulse, 0);
    else if (reading.directory_replaced)
      conclude(report.directory ? Ground::directory_replaced : Ground::directory_missing,
               reading.error_number);
    else
      conclude(Ground::unreadable, reading.error_number);
    return Verdict::engaged;
  }
  if (now - checked > watcher_silence_limit || checked < asked_) return Verdict::none;
  conclude(Ground::released, 0);
  return Verdict::released;
}

void SwitchMonitor::conclude(Ground ground, int error_number) noexcept {
  if (ground == ground_ && error_number == error_number_) return;
  ground_ = ground;
  error_number_ = error_number;
  news_ = true;
}

void SwitchMonitor::ask(TimePoint now) noexcept {
  asked_ = now;
  if (watcher_) watcher_->request_check();
}

Result<void> SwitchMonitor::replace_watcher(TimePoint now) {
  if (watcher_ || now - watcher_started_ < shortest_watcher_life) return {};
  auto watcher = KillswitchWatcher::start(KillswitchWatcher::Directory::must_stay, directory_);
  watcher_started_ = now;
  if (!watcher) return std::unexpected(watcher.error());
  adopt(std::move(*watcher), now);
  return {};
}

std::string SwitchMonitor::description() const {
  const std::string path = killswitch_path;
  const std::string directory = killswitch_directory;
  switch (ground_) {
    case Ground::no_report_yet:
      return "not checked yet";
    case Ground::released:
      return "released: there is no " + path;
    case Ground::present:
      return "engaged: " + path + " is there";
    case Ground::pulse:
      return "engaged: " + path + " was there for a moment";
    case Ground::unreadable:
      return "in doubt, which counts as engaged: " + path + ": " + text_of(error_number_);
    case Ground::directory_replaced:
      return "in doubt, which counts as engaged: " + directory +
             " is gone or not the directory it was at the start; put it back, or restart pilotlightd";
    case Ground::directory_missing:
      return "in doubt, which counts as engaged: " + directory + " could not be made" +
             (error_number_ != 0 ? ": " + text_of(error_number_) : std::string()) +
             "; make it and restart pilotlightd";
    case Ground::silent:
      return "in doubt, which counts as engaged: its watcher has been silent for more than 1.4 s "
             "(a filesystem that hangs, or a machine without processor time)";
    case Ground::watcher_ended:
      return "in doubt, which counts as engaged: its watcher ended";
  }
  return "in doubt, which counts as engaged";
}

bool SwitchMonitor::take_news() noexcept { return std::exchange(news_, false); }

std::optional<std::string> SwitchMonitor::take_reason() {
  if (!std::exchange(reason_is_new_, false)) return std::nullopt;
  return std::string(reason_.data(), reason_length_);
}

}  // namespace pilotlight
