// SPDX-License-Identifier: Apache-2.0
#include "worker/export/format.h"

#include <string>

namespace pilotlight {

namespace {

std::string list_of(std::string_view (*property)(Format)) {
  std::string list;
  for (const Format format : every_format) {
    if (!list.empty()) list += ", ";
    list += property(format);
  }
  return list;
}

}  // namespace

std::string_view name_of(Format format) {
  switch (format) {
    case Format::pprof:
      return "pprof";
    case Format::folded:
      return "folded";
    case Format::svg:
      return "svg";
  }
  return {};
}

std::string_view ending_of(Format format) {
  switch (format) {
    case Format::pprof:
      return ".pb.gz";
    case Format::folded:
      return ".folded";
    case Format::svg:
      return ".svg";
  }
  return {};
}

Result<Format> format_by_name(std::string_view name) {
  for (const Format format : every_format)
    if (name == name_of(format)) return format;
  return failure("unknown format '" + std::string(name) + "'", "choose one of " + list_of(name_of));
}

Result<Format> format_by_file_name(std::string_view path) {
  for (const Format format : every_format)
    if (path.ends_with(ending_of(format))) return format;
  return failure("cannot tell the format from the name '" + std::string(path) + "'",
                 "let it end in one of " + list_of(ending_of) + ", or name the format");
}

}  // namespace pilotlight
