// SPDX-License-Identifier: Apache-2.0
#include "supervisor/options.h"

#include <algorithm>
#include <array>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/variables_map.hpp>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/fatal_error.h"
#include "common/killswitch.h"

namespace pilotlight {

namespace {

namespace po = boost::program_options;

constexpr std::string_view examples =
    R"(pilotlightd runs the profiler `pilotlight` and stops it at once when the killswitch is pulled.

Examples:
  pilotlightd                              profile the whole machine with the defaults
  pilotlightd -- --frequency 49            hand options to the profiler, after --
  touch /etc/pilotlight/killswitch         stop the profiler now, on this machine, until further notice
  echo "INC-42, Kim" > /etc/pilotlight/killswitch    the same, and say why
  rm /etc/pilotlight/killswitch            let it run again (it starts after 10 s)

Usage: pilotlightd [OPTION…] [-- WORKER-OPTION…]
)";

constexpr std::string_view exit_codes = R"(
Exit codes:
   0  stopped as asked, nothing is left running
   1  failed; the message says why
   2  bad command line, or the worker's program is missing
  69  another pilotlightd runs on this machine
  71  stopped, but a worker that could not be killed (or its programs) is still there
  78  not permitted or not supported here
An engaged killswitch is no reason to exit: pilotlightd stays, refuses, and waits for its release.
)";

constexpr std::array<std::pair<std::string_view, Severity>, 4> severities{{{"debug", Severity::debug},
                                                                           {"info", Severity::info},
                                                                           {"warning", Severity::warning},
                                                                           {"error", Severity::error}}};

[[noreturn]] void refuse(const std::string& message) {
  throw FatalError(ExitCode::usage, message + "; see pilotlightd --help");
}

po::options_description description() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("worker", po::value<std::string>()->value_name("PATH"),
      "the profiler's program (default: the file pilotlight beside pilotlightd)");
  add(override_option, po::bool_switch(),
      "run although the killswitch is engaged. It is still watched, and a warning is logged every 10 "
      "minutes");
  add("log-level", po::value<std::string>()->value_name("LEVEL")->default_value("info"),
      "debug, info, warning or error");
  add("version", po::bool_switch(), "print the version and exit");
  add("help,h", po::bool_switch(), "print this text and exit");
  return options;
}

Severity severity_of(const std::string& name) {
  const auto* const found =
      std::ranges::find(severities, std::string_view(name), [](const auto& pair) { return pair.first; });
  if (found == severities.end()) refuse("--log-level " + name + " is not one of debug, info, warning, error");
  return found->second;
}

/// Absolute, because the supervisor leaves its working directory.
std::string worker_path(const po::variables_map& values) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (values.count("worker") > 0) {
    const auto path = fs::absolute(values["worker"].as<std::string>(), error);
    if (error) refuse("--worker " + values["worker"].as<std::string>() + ": " + error.message());
    return path.lexically_normal();
  }
  const auto self = fs::read_symlink("/proc/self/exe", error);
  if (error)
    refuse("cannot find out where pilotlightd lies (" + error.message() + "), so --worker is needed");
  return self.parent_path() / "pilotlight";
}

po::variables_map parse(const std::vector<std::string>& arguments) {
  po::variables_map values;
  const auto options = description();
  const auto style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  // No positional argument is declared, so a bare word is an error.
  po::store(po::command_line_parser(arguments)
                .options(options)
                .positional(po::positional_options_description())
                .style(style)
                .run(),
            values);
  po::notify(values);
  return values;
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  std::vector<std::string> own(argv + std::min(argc, 1), argv + argc);
  Options options;
  const auto separator = std::ranges::find(own, "--");
  if (separator != own.end()) {
    options.worker_options.assign(separator + 1, own.end());
    own.erase(separator, own.end());
  }
  try {
    const po::variables_map values = parse(own);
    options.show_help = values["help"].as<bool>();
    options.show_version = values["version"].as<bool>();
    options.override_killswitch = values[override_option].as<bool>();
    options.log_level = severity_of(values["log-level"].as<std::string>());
    if (!options.show_help && !options.show_version) options.worker = worker_path(values);
  } catch (const po::too_many_positional_options_error&) {
    refuse("pilotlightd takes no arguments but options; those of the worker go after --");
  } catch (const po::error& error) {
    refuse(error.what());
  }
  return options;
}

std::string help_text() {
  std::ostringstream text;
  text << examples << '\n' << description() << exit_codes;
  return text.str();
}

}  // namespace pilotlight
