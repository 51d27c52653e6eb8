// SPDX-License-Identifier: GPL-2.0-only
/* Notes the time of every tick that found the arm word armed: what the killswitch has to end. */
#define PILOTLIGHT_DEFINE_MAPS
#include "bpf/arm.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, 1 << 10 /* BPF_F_MMAPABLE */);
  __uint(max_entries, 512);
  __type(key, __u32);
  __type(value, __u64);
} last_armed SEC(".maps"); /* by CPU: CLOCK_MONOTONIC ns */

SEC("perf_event")
int note_tick(void* context) {
  __u64 now = armed_time();
  __u32 cpu = bpf_get_smp_processor_id();
  __u64* last;

  if (!now) return 0;
  last = bpf_map_lookup_elem(&last_armed, &cpu);
  if (last) *last = now;
  return 0;
}
