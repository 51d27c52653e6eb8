// SPDX-License-Identifier: Apache-2.0
#include "worker/export/flame_graph_header.h"

#include <array>
#include <ctime>
#include <string_view>

#include "worker/export/accounting_figures.h"
#include "worker/export/frame_name.h"
#include "worker/export/profile_facts.h"
#include "worker/export/text.h"

namespace pilotlight {

namespace {

constexpr std::size_t notice_width = 130;

std::string title_of(const Profile& profile) {
  const std::string host = printable(comment_value(profile, "host"));
  const std::string where = host.empty() ? std::string() : " on " + host;
  if (const ProcessLabel* process = sole_process(profile))
    return printable(name_or_unknown(process->name)) + " (pid " + std::to_string(process->pid) + ")" + where;
  return with_thousands_separators(profile.processes.size()) + " processes" + where;
}

std::string duration_text(std::chrono::nanoseconds duration) {
  constexpr auto minute = std::chrono::minutes(1);
  if (duration < minute) return decimal(std::chrono::duration<double>(duration).count(), 2) + " s";
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(duration);
  const auto rest = std::chrono::duration_cast<std::chrono::seconds>(duration - minutes);
  return std::to_string(minutes.count()) + " min " + std::to_string(rest.count()) + " s";
}

std::string start_text(std::chrono::system_clock::time_point start) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(start);
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return "unknown time";
  std::array<char, 64> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {text.data(), length};
}

std::string subtitle_of(const Profile& profile) {
  std::string text = counted(total_samples(profile), "CPU sample") + " in " + duration_text(profile.duration);
  text += " · " + std::to_string(profile.frequency) + " Hz per CPU · " + start_text(profile.start);
  return text;
}

/// Joins parts to as few lines as are needed.
void append_wrapped(std::vector<std::string>& lines, std::string line,
                    const std::vector<std::string>& parts) {
  bool first = true;
  for (const std::string& part : parts) {
    if (!first && line.size() + part.size() > notice_width) {
      lines.push_back(std::move(line));
      line.clear();
      first = true;
    }
    line += (first ? "" : " · ") + part;
    first = false;
  }
  lines.push_back(std::move(line));
}

}  // namespace

FlameGraphHeader make_flame_graph_header(const Profile& profile, const FlameGraphLayout& layout) {
  FlameGraphHeader header{.title = title_of(profile), .subtitle = subtitle_of(profile), .notices = {}};
  std::vector<std::string> losses;
  for (const AccountingFigure& figure : accounting_figures(profile.accounting))
    if (figure.is_loss)
      losses.push_back(std::string(figure.name) + ": " + with_thousands_separators(figure.value));
  if (!losses.empty()) append_wrapped(header.notices, "Incomplete: ", losses);
  if (layout.frames_not_drawn != 0) {
    const std::uint64_t samples = layout.samples_not_drawn_fully;
    header.notices.push_back("Not drawn: " + counted(layout.frames_not_drawn, "narrow frame") +
                             " in stacks of " + counted(samples, "sample") + " (" +
                             percentage(samples, total_samples(profile)) + ")");
  }
  return header;
}

}  // namespace pilotlight
