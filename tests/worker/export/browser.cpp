// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/export/browser.h"

#include <boost/algorithm/string.hpp>
#include <stdexcept>

#include "tests/support/child.h"
#include "tests/support/requires.h"

namespace pilotlight::test {

namespace {

/// The page around the visits. The actions are its last script, which runs when all frames are loaded.
std::string page_around(const std::vector<Visit>& visits) {
  std::string html = R"(<!DOCTYPE html><meta charset="utf-8"><body>)";
  std::string actions;
  for (const Visit& visit : visits) {
    html += R"(<iframe width="1000" height="700" src="graph.svg)" + visit.query + R"("></iframe>)";
    actions += "(page, view) => {" + visit.action + "},\n";
  }
  return html + R"(<script>
const actions = [)" +
         actions + R"(];
addEventListener("load", () => document.querySelectorAll("iframe").forEach((frame, index) => {
  const page = frame.contentDocument;
  actions[index](page, frame.contentWindow);
  page.documentElement.dataset.address = frame.contentWindow.location.search;
  const copy = document.createElement("pre");
  copy.textContent = new XMLSerializer().serializeToString(page);
  document.body.append(copy);
}));
</script>)";
}

}  // namespace

std::string open_in_browser(const TemporaryDirectory& directory, const std::string& address) {
  const Finished finished = run_to_end(
      {find_program("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
       "--disable-background-networking", "--disable-component-update", "--disable-sync",
       "--allow-file-access-from-files", "--window-size=1000,700", "--user-data-dir=" + directory / "browser",
       "--virtual-time-budget=2000", "--dump-dom", "file://" + directory / address});
  if (finished.exit_code != 0) throw std::runtime_error("chromium failed: " + finished.standard_error);
  return finished.standard_output;
}

std::vector<std::string> visit(const std::string& svg, const std::vector<Visit>& visits) {
  const TemporaryDirectory directory;
  write_file(directory / "graph.svg", svg);
  write_file(directory / "visits.html", page_around(visits));
  std::string document = open_in_browser(directory, "visits.html");
  std::vector<std::string> pages;
  for (std::size_t at = document.find("<pre>"); at != std::string::npos;
       at = document.find("<pre>", at + 1)) {
    const std::size_t begin = at + std::string("<pre>").size();
    std::string page = document.substr(begin, document.find("</pre>", begin) - begin);
    boost::replace_all(page, "&lt;", "<");
    boost::replace_all(page, "&gt;", ">");
    boost::replace_all(page, "&amp;", "&");
    pages.push_back(std::move(page));
  }
  if (pages.size() != visits.size()) throw std::runtime_error("a visit failed: " + document);
  return pages;
}

}  // namespace pilotlight::test
