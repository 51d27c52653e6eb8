// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "worker/export/stack_names.h"

namespace pilotlight {

/// The classes of a frame that flame_graph.css colours: the kind's letter, and one of eight shades that a name has in
/// every graph.
[[nodiscard]] std::string style_of(NamedFrameKind kind, std::string_view name);

}  // namespace pilotlight
