// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worker/export/exporter.h"
#include "worker/export/format.h"

namespace pilotlight {

/// The exporter of a format.
[[nodiscard]] Exporter make_exporter(Format format);

}  // namespace pilotlight
