/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * All that crosses the boundary between the BPF programs and the worker; the only header that both sides
 * include. C, in the global namespace and with a prefix: bpftool's skeleton and the kernel's own types leave
 * no other choice. Past worker/sampling and worker/kernel nothing sees these types.
 */
#pragma once

#ifdef __bpf__
#include "bpf/vmlinux/vmlinux.h"
#else
#include <linux/types.h>
#include <stddef.h>
#endif

/* Frames of the kernel kept at most; the kernel's own limit (kernel.perf_event_max_stack) is 127 by default.
 */
#define PILOTLIGHT_MAX_KERNEL_FRAMES 127

/* Frames of a user stack kept at most. A power of two. Deeper stacks keep their leaf side. */
#define PILOTLIGHT_MAX_USER_FRAMES 1024

/* Bytes of a thread's or process's name, with the ending zero (TASK_COMM_LEN in include/linux/sched.h). */
#define PILOTLIGHT_NAME_SIZE 16

/* Nanoseconds of a tick in /proc/PID/stat (USER_HZ is 100 on every architecture that we build for). */
#define PILOTLIGHT_NS_PER_TICK 10000000ULL

/* How the walk of a user stack ended. */
enum pilotlight_stack_end {
  PILOTLIGHT_END_COMPLETE = 0,      /* at the outermost frame */
  PILOTLIGHT_END_NO_USER_STACK = 1, /* a kernel thread: there is none */
  PILOTLIGHT_END_DEPTH = 2,         /* at PILOTLIGHT_MAX_USER_FRAMES: the root side is missing */
  PILOTLIGHT_END_BROKEN = 3,        /* the chain led to something that cannot be a frame */
  PILOTLIGHT_END_UNREADABLE = 4,    /* the next frame's memory is not there, or not now */
};

/* One sample in the ring buffer: this header, then the kernel's addresses, then the program's, each leaf
 * first. */
struct pilotlight_sample {
  __u64 time_ns;          /* CLOCK_MONOTONIC */
  __u64 process_start_ns; /* CLOCK_BOOTTIME when the process was born; with pid, it names it for ever */
  __u32 pid;              /* of the process (tgid), first pid namespace */
  __u32 tid;
  __u32 cpu;
  __u16 kernel_frames;
  __u16 user_frames;
  __u8 user_end; /* enum pilotlight_stack_end */
  __u8 padding[7];
  char thread_name[PILOTLIGHT_NAME_SIZE];
  char process_name[PILOTLIGHT_NAME_SIZE];
  /* kernel_frames + user_frames addresses (__u64) follow; callers as return addresses, not stepped back */
};

/* What each CPU counted since the programs were loaded. Ticks that found the CPU busy = other + samples +
 * lost. */
struct pilotlight_counters {
  __u64 other_ticks;   /* ran a process that is not to be profiled */
  __u64 samples;       /* handed to the ring buffer */
  __u64 lost;          /* the ring buffer was full */
  __u64 exited_cpu_ns; /* CPU time of threads of profiled processes that have ended; only with targets */
};

#ifndef __bpf__
#ifdef __cplusplus
static_assert(sizeof(struct pilotlight_sample) == 72 &&
                  offsetof(struct pilotlight_sample, process_name) == 56,
              "the layout is shared with BPF");
static_assert(sizeof(struct pilotlight_counters) == 32, "the layout is shared with BPF");
#endif
#endif
