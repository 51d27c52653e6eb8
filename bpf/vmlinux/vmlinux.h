/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few kernel types that our programs touch, kept by hand: what is read through CO-RE is found at its real place
 * by the running kernel's BTF, so only names and types of members matter here. (A generated header has 3 MB, depends
 * on the machine that builds, and takes fourteen times the time.)
 */
#pragma once

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef __u64 u64;
typedef __u32 u32;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void*)0)

/* include/uapi/linux/bpf.h */
enum bpf_map_type {
  BPF_MAP_TYPE_HASH = 1,
  BPF_MAP_TYPE_ARRAY = 2,
  BPF_MAP_TYPE_PERCPU_ARRAY = 6,
  BPF_MAP_TYPE_RINGBUF = 27,
};
enum {
  BPF_ANY = 0,
  BPF_F_RDONLY_PROG = 1 << 7,
  BPF_RB_NO_WAKEUP = 1,
};

#if defined(__TARGET_ARCH_x86)
/* arch/x86/include/asm/ptrace.h; also the layout of a perf_event program's context */
struct pt_regs {
  unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp,
      ss;
};
typedef struct pt_regs bpf_user_pt_regs_t;
#else
#error "bpf/vmlinux/vmlinux.h has no registers for this architecture yet"
#endif

/* include/uapi/linux/bpf_perf_event.h: a program's context, read at fixed places */
struct bpf_perf_event_data {
  bpf_user_pt_regs_t regs;
  __u64 sample_period;
  __u64 addr;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct mm_struct;

struct sched_entity {
  __u64 sum_exec_runtime;
};

struct task_struct {
  int pid;
  int tgid;
  struct task_struct* group_leader;
  __u64 start_boottime;
  char comm[16];
  struct mm_struct* mm;
  struct sched_entity se;
};

#pragma clang attribute pop
