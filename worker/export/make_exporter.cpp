// SPDX-License-Identifier: Apache-2.0
#include "worker/export/make_exporter.h"

#include "worker/export/flame_graph_svg.h"
#include "worker/export/folded.h"
#include "worker/export/pprof.h"

namespace pilotlight {

Exporter make_exporter(Format format) {
  switch (format) {
    case Format::pprof:
      return export_pprof;
    case Format::folded:
      return export_folded;
    case Format::svg:
      return export_flame_graph_svg;
  }
  return nullptr;
}

}  // namespace pilotlight
