// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <sstream>
#include <string_view>

#include "common/fatal_error.h"
#include "common/killswitch.h"
#include "common/worker_contract.h"
#include "worker/cli/duration.h"

namespace pilotlight {

namespace {

namespace po = boost::program_options;

// Not divisors of the usual timer rates, so that sampling does not fall into step with them.
constexpr std::uint32_t adhoc_frequency = 99;
constexpr std::uint32_t continuous_frequency = 19;
constexpr std::uint32_t highest_frequency = 10'000;

constexpr char examples[] =
    R"(pilotlight: a whole-machine CPU profiler. Usage: pilotlight [record] [OPTION…] [-- COMMAND ARGUMENT…]

Examples
  pilotlight -d 10                        the whole machine for 10 s, as a flame graph (.svg) in this folder
  pilotlight -d 10 -o cpu.pb.gz           the same for `go tool pprof` and its kin
  pilotlight -d 30 -o out.folded          the same as folded stacks, one line each
  pilotlight --pid 4242 -d 5              one process (and the children it starts) for 5 s
  pilotlight --pid 4242                   until that process ends, or Ctrl-C
  pilotlight -o build.svg -- make -j8     a command and its children, until it ends
  pilotlight -F 999 -d 2                  999 samples a second on each CPU
  pilotlight --output-directory /var/lib/pilotlight/profiles
                                          for ever, one profile a minute

)";

constexpr char exit_codes[] = R"(
Exit codes: 0 done; the code of COMMAND if its profile was written; 1 failure; 2 bad usage; 65 recorded nothing;
67 no such process; 75 the killswitch could not be read; 77 refused or stopped by the killswitch;
78 not permitted or not supported here; 126 and 127 COMMAND could not be executed.

The killswitch: while anything lies at /etc/pilotlight/killswitch, pilotlight refuses to run and a running one stops.
)";

std::unexpected<Error> bad_value(const std::string& option, const std::string& value,
                                 const std::string& remedy) {
  return failure("--" + option + " does not take '" + value + "'", remedy);
}

std::vector<std::uint32_t> parse_pids(const std::vector<std::string>& lists) {
  std::vector<std::uint32_t> pids;
  for (const auto& list : lists) {
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
      std::uint32_t pid = 0;
      const auto parsed = std::from_chars(word.data(), word.data() + word.size(), pid);
      if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size() || pid == 0)
        throw FatalError(ExitCode::usage,
                         bad_value("pid", list, "give process ids, e.g. --pid 17 or --pid 17,42").error());
      pids.push_back(pid);
    }
  }
  return pids;
}

std::chrono::nanoseconds take_duration(const po::variables_map& values, const std::string& option) {
  const auto& text = values[option].as<std::string>();
  const auto duration = parse_duration(text);
  if (!duration)
    throw FatalError(ExitCode::usage, bad_value(option, text, "give e.g. 10, 500ms, 2m or 7d").error());
  return *duration;
}

std::uint64_t take_size(const po::variables_map& values, const std::string& option) {
  const auto& text = values[option].as<std::string>();
  const auto size = parse_size(text);
  if (!size) throw FatalError(ExitCode::usage, bad_value(option, text, "give e.g. 500M or 2G").error());
  return *size;
}

po::options_description visible_options() {
  po::options_description what("What to profile");
  auto option = what.add_options();
  option("duration,d", po::value<std::string>(),
         "for how long: 10, 1.5s, 500ms, 2m (default: see the examples)");
  option("pid,p", po::value<std::vector<std::string>>()->composing(),
         "only these processes and their children: 17,42");
  option("frequency,F", po::value<std::uint32_t>(),
         "samples a second on each CPU (default: 99; for ever: 19)");
  option("event", po::value<std::string>()->default_value("cpu-clock"),
         "cpu-clock, or cycles (hardware counters)");
  option("per-thread", po::bool_switch(), "keep threads apart");
  option("no-kernel", po::bool_switch(), "no kernel stacks, only the kernel function that was running");

  po::options_description where("Where the profile goes");
  option = where.add_options();
  option("output,o", po::value<std::string>(),
         "file, its ending is the format: .svg .folded .pb.gz; - standard output");
  option("format,f", po::value<std::string>(), "svg, folded or pprof, instead of by the ending");
  option("force", po::bool_switch(), "replace an existing file");
  option("output-directory", po::value<std::string>()->default_value("."),
         "for ever: folder of the profiles");
  option("interval", po::value<std::string>()->default_value("60s"), "for ever: length of each profile");
  option("keep-for", po::value<std::string>()->default_value("7d"),
         "for ever: remove profiles older than this");
  option("keep-bytes", po::value<std::string>()->default_value("1G"),
         "for ever: remove the oldest beyond this sum");

  po::options_description other("Other");
  option = other.add_options();
  option("quiet,q", po::bool_switch(), "no progress and no summary");
  option("summary", po::value<std::string>()->default_value("text"),
         "last lines on standard error: text or json");
  option(override_option, po::bool_switch(), "run although the killswitch is engaged");
  option("version", po::bool_switch(), "print the version");
  option("help,h", po::bool_switch(), "print this");
  return po::options_description().add(what).add(where).add(other);
}

po::options_description hidden_options() {
  po::options_description hidden;
  auto option = hidden.add_options();
  option(supervised_option, po::bool_switch(), "");
  option("launched-pid", po::value<std::uint32_t>()->default_value(0), "");
  return hidden;
}

/// Takes "-- COMMAND…" off the end and the word "record" off the front.
std::vector<std::string> take_command(std::vector<std::string>& arguments) {
  std::vector<std::string> command;
  const auto separator = std::ranges::find(arguments, "--");
  if (separator != arguments.end()) {
    command.assign(separator + 1, arguments.end());
    arguments.erase(separator, arguments.end());
    if (command.empty())
      throw FatalError(ExitCode::usage, "no command after --; give one, or leave out the --");
  }
  if (!arguments.empty() && arguments.front() == "record") arguments.erase(arguments.begin());
  return command;
}

po::variables_map parse_words(const std::vector<std::string>& words) {
  po::options_description all;
  all.add(visible_options()).add(hidden_options());
  // No guessing: a prefix of the override must not be the override.
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  po::variables_map values;
  try {
    const auto parsed = po::command_line_parser(words).options(all).style(style).positional({}).run();
    po::store(parsed, values);
    po::notify(values);
  } catch (const po::too_many_positional_options_error&) {
    throw FatalError(ExitCode::usage,
                     "unexpected word on the command line; a command to profile goes after --, as in "
                     "`pilotlight -- make -j8`");
  } catch (const po::error& error) {
    throw FatalError(ExitCode::usage, std::string(error.what()) + "; see pilotlight --help");
  }
  return values;
}

std::uint32_t take_frequency(const po::variables_map& values, bool adhoc) {
  if (values.count("frequency") == 0) return adhoc ? adhoc_frequency : continuous_frequency;
  const auto frequency = values["frequency"].as<std::uint32_t>();
  if (frequency == 0 || frequency > highest_frequency)
    throw FatalError(ExitCode::usage, bad_value("frequency", std::to_string(frequency),
                                                "give 1 to " + std::to_string(highest_frequency))
                                          .error());
  return frequency;
}

/// One of two words; true for the second.
bool take_choice(const po::variables_map& values, const std::string& option, std::string_view first,
                 std::string_view second) {
  const auto& text = values[option].as<std::string>();
  if (text != first && text != second)
    throw FatalError(
        ExitCode::usage,
        bad_value(option, text, "give " + std::string(first) + " or " + std::string(second)).error());
  return text == second;
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = arguments;
  Options options;
  options.command = take_command(words);
  const po::variables_map values = parse_words(words);
  options.show_help = values["help"].as<bool>();
  options.show_version = values["version"].as<bool>();
  if (values.count("duration") != 0) options.duration = take_duration(values, "duration");
  if (values.count("pid") != 0) options.pids = parse_pids(values["pid"].as<std::vector<std::string>>());
  if (!options.pids.empty() && !options.command.empty())
    throw FatalError(ExitCode::usage, "--pid and a command exclude each other; give one of them");
  options.launched_pid = values["launched-pid"].as<std::uint32_t>();
  options.supervised = values[supervised_option].as<bool>();
  options.frequency = take_frequency(values, options.adhoc());
  options.cycles = take_choice(values, "event", "cpu-clock", "cycles");
  options.per_thread = values["per-thread"].as<bool>();
  options.kernel_stacks = !values["no-kernel"].as<bool>();
  if (values.count("output") != 0) options.output = values["output"].as<std::string>();
  if (values.count("format") != 0) options.format = values["format"].as<std::string>();
  if (!options.output.empty() && !options.adhoc())
    throw FatalError(ExitCode::usage,
                     "--output is for a profile with an end; give --duration, --pid or a command too, "
                     "or --output-directory instead");
  options.force = values["force"].as<bool>();
  options.output_directory = values["output-directory"].as<std::string>();
  options.interval = take_duration(values, "interval");
  options.keep_for = take_duration(values, "keep-for");
  options.keep_bytes = take_size(values, "keep-bytes");
  options.quiet = values["quiet"].as<bool>();
  options.json_summary = take_choice(values, "summary", "text", "json");
  options.override_killswitch = values[override_option].as<bool>();
  return options;
}

std::string help_text() {
  std::ostringstream text;
  text << examples << visible_options() << exit_codes;
  return text.str();
}

}  // namespace pilotlight
