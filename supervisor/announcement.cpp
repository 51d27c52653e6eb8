// SPDX-License-Identifier: Apache-2.0
#include "supervisor/announcement.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace pilotlight {

namespace {

std::string worker_text(const Situation& situation) { return "worker " + std::to_string(situation.worker); }

std::string exit_text(const Situation& situation) {
  if (situation.execution_error)
    return "could not be executed: " + std::generic_category().message(*situation.execution_error);
  if (situation.exit.signalled) {
    const char* description = ::sigdescr_np(situation.exit.value);
    return "was killed by signal " + std::to_string(situation.exit.value) + " (" +
           (description == nullptr ? "unknown" : description) + ")";
  }
  return "ended with exit code " + std::to_string(situation.exit.value);
}

Announcement death(const Situation& situation) {
  if (situation.event == Event::crash_limit)
    return {Severity::error, "the worker crashed five times in ten minutes"};
  if (situation.event == Event::engaged || situation.event == Event::quit)
    return {Severity::debug, std::string(name_of(situation.to)) + " from now on"};
  std::string text = worker_text(situation) + " " + exit_text(situation);
  if (is_killing(situation.from))
    text += ", disarmed " + duration_text(situation.disarmed_after) + " and dead " +
            duration_text(situation.dead_after) + " after the reason for it was known";
  const bool expected = is_killing(situation.from) || situation.from == State::finishing;
  return {expected ? Severity::info : Severity::error, text};
}

Announcement killing(const Situation& situation) {
  const std::string killed = worker_text(situation) + " is disarmed and killed: ";
  switch (situation.to) {
    case State::killing_for_switch:
      return {Severity::warning, killed + "killswitch " + situation.killswitch};
    case State::killing_for_lease:
      return {Severity::error, killed +
                                   "its lease had run out, because pilotlightd did not run for a while "
                                   "(stopped, or starved of processor time)"};
    case State::killing_hung:
      if (situation.from == State::starting)
        return {Severity::error, killed + "not ready within " + duration_text(readiness_limit)};
      return {Severity::error, killed + "no heartbeat for " + duration_text(heartbeat_limit)};
    default:
      break;
  }
  if (situation.event == Event::engaged)
    return {Severity::warning, killed + "killswitch " + situation.killswitch + " while pilotlightd ends"};
  if (situation.event == Event::timed_out)
    return {Severity::warning, killed + "it did not finish within " + duration_text(finish_limit)};
  return {Severity::info, killed + "pilotlightd ends"};
}

Announcement backing_off(const Situation& situation) {
  const std::string when = "the next worker starts in " + duration_text(situation.wait);
  if (situation.event == Event::spawn_failed) return {Severity::error, situation.start_error + "; " + when};
  return {Severity::warning, "backing off: " + when};
}

Announcement tripped(const Situation& situation) {
  std::string text =
      "tripped: no worker is started until pilotlightd is started anew, because the last one " +
      exit_text(situation);
  if (event_of(situation.exit) == Event::worker_unusable)
    text += ", which a restart cannot help; see the worker's own message";
  else
    text += " and five died in ten minutes";
  return {Severity::error, text};
}

}  // namespace

std::string duration_text(std::chrono::nanoseconds duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  std::array<char, 48> text{};
  if (seconds < 1)
    std::snprintf(text.data(), text.size(), "%.3g ms", seconds * 1000);
  else
    std::snprintf(text.data(), text.size(), "%.3g s", seconds);
  return text.data();
}

Announcement announce(const Situation& situation) {
  switch (situation.to) {
    case State::refusing:
      return {situation.from == State::clearing_to_refuse ? Severity::info : Severity::warning,
              "refusing to run a worker; killswitch " + situation.killswitch};
    case State::settling:
      return {Severity::info, "settling: killswitch released; a worker starts if it stays so for " +
                                  duration_text(situation.wait)};
    case State::backing_off:
      return backing_off(situation);
    case State::confirming:
      return {Severity::debug, "confirming: one more check of the killswitch before the start"};
    case State::starting:
      return {Severity::info, "starting: " + worker_text(situation)};
    case State::arming:
      return {Severity::info, "arming: " + worker_text(situation) + " is ready"};
    case State::running:
      return {Severity::info, "running: " + worker_text(situation) + " is armed"};
    case State::finishing:
      return {Severity::info, "finishing: " + worker_text(situation) + " is disarmed and has " +
                                  duration_text(finish_limit) + " to write its last profile"};
    case State::killing_for_switch:
    case State::killing_hung:
    case State::killing_for_lease:
    case State::killing_to_quit:
      return killing(situation);
    case State::clearing_to_refuse:
    case State::clearing_after_crash:
    case State::clearing_to_trip:
    case State::clearing_to_quit:
      return death(situation);
    case State::tripped:
      return tripped(situation);
    case State::stopped:
      return {Severity::info, "stopped: no worker is left"};
    case State::abandoned:
      return {Severity::error, "giving up: " + worker_text(situation) +
                                   " or something of it could not be killed and is still there, disarmed"};
  }
  return {Severity::error, "in an unknown state"};
}

}  // namespace pilotlight
