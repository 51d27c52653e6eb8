// SPDX-License-Identifier: Apache-2.0
#include "tests/support/bpf_programs.h"

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "common/unique_handle.h"

namespace pilotlight::test {

namespace {

int bpf(bpf_cmd command, bpf_attr& attributes) {
  return static_cast<int>(::syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

std::string name_of(int program) {
  bpf_prog_info info{};
  bpf_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.info.bpf_fd = static_cast<std::uint32_t>(program);
  attributes.info.info_len = sizeof info;
  attributes.info.info = reinterpret_cast<std::uint64_t>(&info);
  return bpf(BPF_OBJ_GET_INFO_BY_FD, attributes) == 0 ? static_cast<const char*>(info.name) : "";
}

}  // namespace

std::set<std::uint32_t> loaded_programs(const std::string& name) {
  std::set<std::uint32_t> ids;
  bpf_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  while (bpf(BPF_PROG_GET_NEXT_ID, attributes) == 0) {
    const std::uint32_t id = attributes.next_id;
    bpf_attr open;
    std::memset(&open, 0, sizeof open);
    open.prog_id = id;
    const UniqueFd program(bpf(BPF_PROG_GET_FD_BY_ID, open));
    if (program && name_of(program.get()) == name) ids.insert(id);
    std::memset(&attributes, 0, sizeof attributes);
    attributes.start_id = id;
  }
  return ids;
}

}  // namespace pilotlight::test
