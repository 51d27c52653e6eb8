// SPDX-License-Identifier: Apache-2.0
#include "worker/export/frame_style.h"

#include <cstdint>

namespace pilotlight {

namespace {

char class_letter(NamedFrameKind kind) {
  switch (kind) {
    case NamedFrameKind::process:
      return 'p';
    case NamedFrameKind::thread:
      return 't';
    case NamedFrameKind::user:
      return 'u';
    case NamedFrameKind::kernel:
      return 'k';
    case NamedFrameKind::marker:
      return 'm';
  }
  return 'm';
}

/// A shade of the kind's colour that a name has in every graph (FNV-1a).
unsigned shade_of(std::string_view name) {
  std::uint32_t hash = 2166136261U;
  for (const char byte : name) hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619U;
  return (hash ^ (hash >> 15U)) % 8;
}

}  // namespace

std::string style_of(NamedFrameKind kind, std::string_view name) {
  return std::string(1, class_letter(kind)) + " h" + std::to_string(shade_of(name));
}

}  // namespace pilotlight
