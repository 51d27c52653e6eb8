// SPDX-License-Identifier: GPL-2.0-only
/* Where only some processes are profiled: their children join them, and the CPU time of what ends is kept. */
#include "bpf/maps.bpf.h"

#include <bpf/bpf_core_read.h>

#include "bpf/arm.bpf.h"

SEC("tp_btf/sched_process_fork")
int follow_fork(__u64* context) {
  struct task_struct* parent = (struct task_struct*)context[0];
  struct task_struct* child = (struct task_struct*)context[1];
  __u32 parent_pid, child_pid;
  __u64 start;

  if (!armed_time()) return 0;
  parent_pid = BPF_CORE_READ(parent, tgid);
  child_pid = BPF_CORE_READ(child, tgid);
  /* A new thread belongs to a process that is known already. */
  if (parent_pid == child_pid || !bpf_map_lookup_elem(&targets, &parent_pid)) return 0;
  start = BPF_CORE_READ(child, start_boottime) / PILOTLIGHT_NS_PER_TICK;
  bpf_map_update_elem(&targets, &child_pid, &start, BPF_ANY);
  return 0;
}

SEC("tp_btf/sched_process_exit")
int count_exit(__u64* context) {
  struct task_struct* task = (struct task_struct*)context[0];
  struct pilotlight_counters* count;
  __u32 pid;

  if (!armed_time()) return 0;
  pid = BPF_CORE_READ(task, tgid);
  count = this_cpu_counters();
  if (count && bpf_map_lookup_elem(&targets, &pid))
    count->exited_cpu_ns += BPF_CORE_READ(task, se.sum_exec_runtime);
  return 0;
}
