/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One step up a user stack. Today by frame pointers (System V ABI for AMD64, section 3.2.2: a frame that
 * keeps one has its caller's frame pointer at 0(rbp) and the return address at 8(rbp)); a better way to step
 * replaces step_to_caller() and nothing else.
 *
 * The kernel's own user-stack helper is never used: it has brought production kernels down.
 */
#pragma once

#include "bpf/records.h"

#include <bpf/bpf_helpers.h>

/* Registers of one frame of a program. */
struct user_registers {
  __u64 instruction;
  __u64 stack;
  __u64 frame;
};

/* More than one step: not an end of the walk. */
#define PILOTLIGHT_STEP_CALLER (-1)

/*
 * Replaces the registers by the caller's. Returns PILOTLIGHT_STEP_CALLER, or the pilotlight_stack_end that
 * stops the walk. A frame pointer must point above the stack pointer and be aligned; that alone refuses most
 * of the values that programs built without frame pointers keep in the register. The worker refuses the rest:
 * return addresses that are not in executable memory.
 */
static __always_inline int step_to_caller(struct user_registers* registers) {
  struct {
    __u64 caller_frame;
    __u64 return_address;
  } saved;
  __u64 frame = registers->frame;

  if (!frame) return PILOTLIGHT_END_COMPLETE;
  if (frame < registers->stack || (frame & 7)) return PILOTLIGHT_END_BROKEN;
  if (bpf_probe_read_user(&saved, sizeof(saved), (void*)frame)) return PILOTLIGHT_END_UNREADABLE;
  if (!saved.return_address) return PILOTLIGHT_END_COMPLETE;
  registers->instruction = saved.return_address;
  registers->stack = frame + sizeof(saved);
  registers->frame = saved.caller_frame;
  return PILOTLIGHT_STEP_CALLER;
}
