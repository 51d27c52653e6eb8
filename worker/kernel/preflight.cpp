// SPDX-License-Identifier: Apache-2.0
#include "worker/kernel/preflight.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "common/file.h"

namespace pilotlight {

namespace {

// CAP_PERFMON and CAP_BPF from Linux 5.8 on (capabilities(7)).
constexpr int capability_perfmon = 38;
constexpr int capability_bpf = 39;

bool has_capability(int capability) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0) return false;
  const unsigned bit = 1U << (static_cast<unsigned>(capability) % 32U);
  return (data.at(static_cast<std::size_t>(capability) / 32).effective & bit) != 0;
}

Result<void> check_kernel_version() {
  utsname name{};
  ::uname(&name);
  int major = 0;
  int minor = 0;
  if (std::sscanf(name.release, "%d.%d", &major, &minor) == 2 && (major < 5 || (major == 5 && minor < 17)))
    return failure("Linux " + std::string(name.release) + " is too old",
                   "pilotlight needs 5.17 or newer (bpf_loop)");
  return {};
}

}  // namespace

Result<void> check_machine() {
  if (auto version = check_kernel_version(); !version) return version;
  if (::access("/sys/kernel/btf/vmlinux", R_OK) != 0)
    return system_error("cannot read the kernel's type information (/sys/kernel/btf/vmlinux)",
                        "use a kernel with CONFIG_DEBUG_INFO_BTF and mount /sys");
  for (const auto& [capability, name] :
       {std::pair{capability_bpf, "CAP_BPF"}, {capability_perfmon, "CAP_PERFMON"}})
    if (!has_capability(capability))
      return failure(
          std::string("not permitted to profile the machine: ") + name + " is missing",
          "run as root (sudo), or give the program CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE and CAP_SYSLOG");
  const auto lockdown = read_file("/sys/kernel/security/lockdown");
  if (lockdown && lockdown->find("[confidentiality]") != std::string::npos)
    return failure("kernel lockdown is in confidentiality mode, which forbids BPF to read memory",
                   "boot with lockdown=integrity or none");
  return {};
}

}  // namespace pilotlight
