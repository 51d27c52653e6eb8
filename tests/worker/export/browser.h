// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace pilotlight::test {

/// The document behind an address relative to the directory, as headless Chromium has it two seconds (of its
/// own time) after opening it; throws if it fails.
std::string open_in_browser(const TemporaryDirectory& directory, const std::string& address);

/// What to do with a page.
struct Visit {
  std::string query;   ///< appended to the address
  std::string action;  ///< statements of JavaScript with `page`, its document, and `view`, its window
};

/// Opens an SVG file once a visit, each in a frame of its own, and returns the documents as XML after the
/// actions. The root of each has the attribute data-address: the address's query then.
std::vector<std::string> visit(const std::string& svg, const std::vector<Visit>& visits);

}  // namespace pilotlight::test
