// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/process/process_id.h"

namespace pilotlight {

/// How the walk of a user stack ended; bpf/records.h has a sentence for each.
enum class StackEnd : std::uint8_t { complete, no_user_stack, depth, broken, unreadable };

/// One timer tick that hit a process: what leaves this stage.
struct Sample {
  std::uint64_t time_ns = 0;  ///< CLOCK_MONOTONIC
  ProcessId process;
  std::uint32_t thread_id = 0;
  std::uint32_t cpu = 0;
  std::string thread_name;
  std::string process_name;
  StackEnd user_end = StackEnd::complete;
  std::vector<std::uint64_t> kernel_stack;  ///< leaf first; callers as return addresses
  std::vector<std::uint64_t> user_stack;    ///< the same
};

}  // namespace pilotlight
