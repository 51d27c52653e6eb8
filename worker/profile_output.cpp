// SPDX-License-Identifier: Apache-2.0
#include "worker/profile_output.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "worker/export/profile_file_name.h"

namespace pilotlight {

Result<Format> format_of(const Options& options) {
  if (!options.format.empty()) return format_by_name(options.format);
  if (!options.adhoc()) return Format::pprof;
  if (options.output.empty() || options.output == "-") return Format::svg;
  return format_by_file_name(options.output);
}

std::string host_name() {
  utsname name{};
  ::uname(&name);
  return static_cast<const char*>(name.nodename);
}

Result<ProfileOutput> ProfileOutput::open(const Options& options) {
  const auto format = format_of(options);
  if (!format) return std::unexpected(format.error());
  if (options.output == "-") {
    if (::isatty(STDOUT_FILENO) != 0)
      return failure("not writing a profile to a terminal", "redirect standard output");
    return ProfileOutput(*format, std::nullopt);
  }
  const std::string path = options.output.empty()
                               ? default_file_name(host_name(), std::chrono::system_clock::now(), *format)
                               : options.output;
  auto file =
      AtomicFile::create(path, options.force ? AtomicFile::Existing::replace : AtomicFile::Existing::refuse);
  if (!file) return std::unexpected(file.error());
  return ProfileOutput(*format, std::move(*file));
}

std::string ProfileOutput::name() const { return file_ ? file_->path() : "standard output"; }

Result<void> ProfileOutput::write(std::string_view bytes) {
  if (file_) {
    if (auto written = file_->write(bytes); !written) return written;
    return file_->commit();
  }
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      return system_error("cannot write to standard output");
  }
  return {};
}

}  // namespace pilotlight
