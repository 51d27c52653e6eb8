// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/vdso.h"

#include <sys/auxv.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "common/file.h"
#include "worker/process/memory_map.h"

namespace pilotlight {

Result<ElfFile> open_own_vdso() {
  const unsigned long start = ::getauxval(AT_SYSINFO_EHDR);
  if (start == 0) return failure("this process has no vdso");
  // Only the memory map tells how long it is.
  auto text = read_file("/proc/self/maps");
  if (!text) return std::unexpected(std::move(text.error()));
  const MemoryMap map = parse_memory_map(*text);
  const auto found = std::ranges::find(map.mappings, start, &MemoryMapping::start);
  if (found == map.mappings.end() || !found->readable)
    return failure("cannot find the vdso in /proc/self/maps");
  const std::span image(std::bit_cast<const std::byte*>(start), found->limit - found->start);
  return ElfFile::from_memory({image.begin(), image.end()}, "[vdso]");
}

}  // namespace pilotlight
