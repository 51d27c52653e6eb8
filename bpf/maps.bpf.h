/* SPDX-License-Identifier: GPL-2.0-only */
/* Every map, once; bpf/README.md says who writes and who reads each. sample.bpf.c defines them, the rest
 * refer. */
#pragma once

#include "bpf/records.h"

#include <bpf/bpf_helpers.h>

#ifdef PILOTLIGHT_DEFINE_MAPS
#define PILOTLIGHT_MAP
#else
#define PILOTLIGHT_MAP extern
#endif

/* The arm word: created by the process that watches the killswitch, read-only for programs and the worker. */
PILOTLIGHT_MAP struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_RDONLY_PROG);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u64);
} pilotlight_arm SEC(".maps");

/* Samples on their way to the worker; sized by the worker before loading. */
PILOTLIGHT_MAP struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 1 << 20);
} samples SEC(".maps");

/* One entry: what each CPU counted. */
PILOTLIGHT_MAP struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct pilotlight_counters);
} counters SEC(".maps");

/*
 * Processes to profile, where not all are: pid to its birth, against reuse of pids. The birth is in
 * CLOCK_BOOTTIME ticks of PILOTLIGHT_NS_PER_TICK, because /proc/PID/stat gives the worker no more.
 */
PILOTLIGHT_MAP struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __uint(map_flags, 1 /* BPF_F_NO_PREALLOC */);
  __type(key, __u32);
  __type(value, __u64);
} targets SEC(".maps");

/* The counters of this CPU. */
static __always_inline struct pilotlight_counters* this_cpu_counters(void) {
  __u32 key = 0;

  return bpf_map_lookup_elem(&counters, &key);
}
