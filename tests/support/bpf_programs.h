// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace pilotlight::test {

/// Kernel ids of the loaded BPF programs with this name, whoever holds them. Needs root.
std::set<std::uint32_t> loaded_programs(const std::string& name);

/// The program that takes samples (bpf/sample.bpf.c).
inline constexpr char sampling_program_name[] = "take_sample";

}  // namespace pilotlight::test
