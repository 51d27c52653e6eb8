// SPDX-License-Identifier: Apache-2.0
#include "worker/export/accounting_figures.h"

namespace pilotlight {

std::vector<AccountingFigure> accounting_figures(const Accounting& accounting) {
  std::vector<AccountingFigure> figures{
      {.name = "expected samples", .value = accounting.expected},
      {.name = "samples", .value = accounting.samples},
      {.name = "lost samples", .value = accounting.lost, .is_loss = true},
      {.name = "missed timer ticks", .value = accounting.missed_ticks, .is_loss = true},
      {.name = "samples cut at the depth limit", .value = accounting.truncated_depth, .is_loss = true},
      {.name = "samples with a broken stack", .value = accounting.truncated_broken, .is_loss = true},
      {.name = "samples with an unreadable stack", .value = accounting.truncated_unreadable, .is_loss = true},
      {.name = "frames", .value = accounting.frames},
      {.name = "frames without a symbol", .value = accounting.unsymbolized_no_symbol, .is_loss = true},
      {.name = "frames in unreadable files", .value = accounting.unsymbolized_no_file, .is_loss = true},
      {.name = "frames in memory without a file",
       .value = accounting.unsymbolized_anonymous,
       .is_loss = true},
      {.name = "frames outside any mapping", .value = accounting.unsymbolized_no_mapping, .is_loss = true},
      {.name = "lost process events", .value = accounting.process_events_lost, .is_loss = true},
  };
  std::erase_if(figures, [](const AccountingFigure& figure) { return figure.value == 0; });
  return figures;
}

}  // namespace pilotlight
