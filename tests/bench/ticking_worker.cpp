// SPDX-License-Identifier: Apache-2.0
// A worker for pilotlightd whose BPF program ticks ten thousand times a second on each CPU and notes when it
// did.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <poll.h>

#include <cstdio>
#include <string>
#include <vector>

#include "bpf/armed_ticks_bpf.skel.h"
#include "common/heartbeat.h"
#include "common/worker_contract.h"
#include "worker/kernel/cpu_list.h"
#include "worker/kernel/perf_event.h"

int main() {
  using namespace pilotlight;
  armed_ticks_bpf* skeleton = armed_ticks_bpf__open();
  if (skeleton == nullptr || bpf_map__reuse_fd(skeleton->maps.pilotlight_arm, worker_arm_word_fd) != 0 ||
      armed_ticks_bpf__load(skeleton) != 0) {
    std::fputs("bench worker: cannot load its BPF program\n", stderr);
    return 1;
  }
  const int program = bpf_program__fd(skeleton->progs.note_tick);
  std::vector<UniqueFd> held;
  const std::vector<int> cpus = online_cpus().value();
  for (const int cpu : cpus) {
    auto event = open_sampling_event(SamplingEvent::cpu_clock, cpu, 10'000).value();
    held.emplace_back(bpf_link_create(program, event.get(), BPF_PERF_EVENT, nullptr));
    if (!held.back() || !enable_event(event.get())) return 1;
    held.push_back(std::move(event));
  }
  bpf_prog_info info{};
  std::uint32_t size = sizeof info;
  bpf_obj_get_info_by_fd(program, &info, &size);
  WorkerReady ready;
  ready.program_count = 1;
  ready.program_ids[0] = info.id;
  auto heartbeat = Heartbeat::open(UniqueFd(worker_heartbeat_fd)).value();
  if (!send_ready(worker_control_fd, ready)) return 1;
  for (;;) {
    heartbeat.beat();
    pollfd wait{.fd = worker_control_fd, .events = POLLIN, .revents = 0};
    ::poll(&wait, 1, 200);
    const auto received = receive_control(worker_control_fd);
    if (received.ended || received.message == ControlMessage::finish) return 0;
  }
}
