// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/run_summary.h"

#include <array>
#include <boost/json.hpp>
#include <cstdint>
#include <cstdio>
#include <ratio>
#include <utility>

namespace pilotlight {

namespace {

double seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

std::string decimal(double value, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string percentage(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "0 %"
                    : decimal(100.0 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %";
}

using Figure = std::pair<std::uint64_t, const char*>;

/// "12 lost (ring full), 3 …", leaving out zeros; empty if all are zero.
template <std::size_t Count>
std::string list_of(const std::array<Figure, Count>& figures) {
  std::string text;
  for (const auto& [value, name] : figures)
    if (value != 0) text += (text.empty() ? "" : ", ") + std::to_string(value) + " " + name;
  return text;
}

}  // namespace

std::string summary_text(const Profile& profile, const std::string& destination) {
  const Accounting& account = profile.accounting;
  std::string text = std::to_string(account.samples) + " samples of " +
                     std::to_string(profile.processes.size()) + " processes in " +
                     decimal(seconds(profile.duration), 2) + " s at " + std::to_string(profile.frequency) +
                     " Hz; expected " + std::to_string(account.expected) + " (rate × CPU time)\n";
  const std::string missing =
      list_of(std::array<Figure, 3>{{{account.lost, "lost (buffer full)"},
                                     {account.missed_ticks, "timer ticks late or stolen"},
                                     {account.process_events_lost, "process events lost"}}});
  if (!missing.empty()) text += "not in the profile: " + missing + "\n";
  const std::uint64_t truncated =
      account.truncated_broken + account.truncated_depth + account.truncated_unreadable;
  if (truncated != 0)
    text += "stacks cut short: " + std::to_string(truncated) + " (" + percentage(truncated, account.samples) +
            "): " +
            list_of(std::array<Figure, 3>{{{account.truncated_broken, "no frame pointer"},
                                           {account.truncated_depth, "too deep"},
                                           {account.truncated_unreadable, "stack not readable"}}}) +
            "\n";
  const std::uint64_t unnamed = account.unsymbolized_anonymous + account.unsymbolized_no_file +
                                account.unsymbolized_no_mapping + account.unsymbolized_no_symbol;
  if (unnamed != 0)
    text += "frames without a name: " + std::to_string(unnamed) + " (" + percentage(unnamed, account.frames) +
            "): " +
            list_of(std::array<Figure, 4>{{{account.unsymbolized_no_symbol, "no symbol"},
                                           {account.unsymbolized_no_file, "file not readable"},
                                           {account.unsymbolized_anonymous, "memory without a file (JIT)"},
                                           {account.unsymbolized_no_mapping, "no mapping known"}}}) +
            "\n";
  if (!destination.empty()) text += "wrote " + destination + "\n";
  return text;
}

std::string summary_json(const Profile& profile, const std::string& destination) {
  const Accounting& account = profile.accounting;
  boost::json::object summary{
      {"output", destination.empty() ? boost::json::value() : boost::json::value(destination)},
      {"wall_seconds", seconds(profile.duration)},
      {"frequency_hz", profile.frequency},
      {"processes", profile.processes.size()},
      {"samples", account.samples},
      {"samples_expected", account.expected},
      {"samples_lost", account.lost},
      {"ticks_missed", account.missed_ticks},
      {"process_events_lost", account.process_events_lost},
      {"truncated", boost::json::object{{"no_frame_pointer", account.truncated_broken},
                                        {"too_deep", account.truncated_depth},
                                        {"stack_not_readable", account.truncated_unreadable}}},
      {"frames", account.frames},
      {"unsymbolized", boost::json::object{{"no_symbol", account.unsymbolized_no_symbol},
                                           {"file_not_readable", account.unsymbolized_no_file},
                                           {"no_file", account.unsymbolized_anonymous},
                                           {"no_mapping", account.unsymbolized_no_mapping}}}};
  return boost::json::serialize(summary) + "\n";
}

}  // namespace pilotlight
