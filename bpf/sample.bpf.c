// SPDX-License-Identifier: GPL-2.0-only
/* The timer tick: who was running, its kernel stack and its user stack. */
#define PILOTLIGHT_DEFINE_MAPS
#include "bpf/maps.bpf.h"

#include <bpf/bpf_core_read.h>

#include "bpf/arm.bpf.h"
#include "bpf/unwind.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Set by the worker before loading. */
const volatile bool only_targets = false;
const volatile bool with_kernel_stacks = true;

/* A sample under construction; programs have 512 bytes of stack. */
struct scratch {
  struct pilotlight_sample sample;
  __u64 addresses[PILOTLIGHT_MAX_KERNEL_FRAMES + 1 + PILOTLIGHT_MAX_USER_FRAMES];
  struct user_registers registers;
  __u32 user_frames;
  __u32 end;
};

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct scratch);
} scratches SEC(".maps");

/* One turn of the walk: keep the frame, step to its caller. Returns 1 to stop. */
static long walk_turn(__u32 turn, struct scratch** context) {
  struct scratch* scratch = *context;
  __u32 at = scratch->sample.kernel_frames + turn;
  int end;

  if (turn >= PILOTLIGHT_MAX_USER_FRAMES ||
      at >= PILOTLIGHT_MAX_KERNEL_FRAMES + 1 + PILOTLIGHT_MAX_USER_FRAMES)
    return 1;
  scratch->addresses[at] = scratch->registers.instruction;
  scratch->user_frames = turn + 1;
  end = step_to_caller(&scratch->registers);
  if (end == PILOTLIGHT_STEP_CALLER) return 0;
  scratch->end = end;
  return 1;
}

static __always_inline void walk_user_stack(struct scratch* scratch) {
  scratch->user_frames = 0;
  /* Stays so if the walk never stops by itself. */
  scratch->end = PILOTLIGHT_END_DEPTH;
  bpf_loop(PILOTLIGHT_MAX_USER_FRAMES, walk_turn, &scratch, 0);
  scratch->sample.user_frames = scratch->user_frames;
  scratch->sample.user_end = scratch->end;
}

/* The user registers of the running task. False for a kernel thread, which has none. */
static __always_inline bool find_user_registers(struct bpf_perf_event_data* context, struct task_struct* task,
                                                bool in_kernel, struct user_registers* registers) {
  __u64 instruction, stack, frame;

  if (!BPF_CORE_READ(task, mm)) return false;
  if (in_kernel) {
    struct pt_regs* saved = (struct pt_regs*)bpf_task_pt_regs(task);

    instruction = saved->ip;
    stack = saved->sp;
    frame = saved->bp;
  } else {
    instruction = context->regs.ip;
    stack = context->regs.sp;
    frame = context->regs.bp;
    /* Keeps clang from merging the loads into a pointer past the context, which the verifier refuses. */
    asm volatile("" : "+r"(instruction), "+r"(stack), "+r"(frame));
  }
  registers->instruction = instruction;
  registers->stack = stack;
  registers->frame = frame;
  return true;
}

static __always_inline bool is_target(__u32 pid, __u64 process_start_ns) {
  __u64* start = bpf_map_lookup_elem(&targets, &pid);

  return start && *start == process_start_ns / PILOTLIGHT_NS_PER_TICK;
}

static __always_inline __u32 kernel_stack(struct bpf_perf_event_data* context, struct scratch* scratch) {
  long bytes;

  if (!with_kernel_stacks) {
    scratch->addresses[0] = context->regs.ip;
    return 1;
  }
  bytes = bpf_get_stack(context, scratch->addresses, PILOTLIGHT_MAX_KERNEL_FRAMES * sizeof(__u64), 0);
  if (bytes < (long)sizeof(__u64)) {
    scratch->addresses[0] = context->regs.ip;
    return 1;
  }
  return (__u32)(bytes / sizeof(__u64)) & 127;
}

SEC("perf_event")
int take_sample(struct bpf_perf_event_data* context) {
  __u64 now = armed_time();
  struct pilotlight_counters* count;
  struct pilotlight_sample* sample;
  struct task_struct *task, *leader;
  struct scratch* scratch;
  __u32 key = 0, bytes;
  bool in_kernel;
  __u64 id;

  if (!now) return 0;
  count = this_cpu_counters();
  scratch = bpf_map_lookup_elem(&scratches, &key);
  if (!count || !scratch) return 0;
  id = bpf_get_current_pid_tgid();
  /* The idle task, where the hardware's counter ticks for it. */
  if (!id) return 0;
  task = bpf_get_current_task_btf();
  leader = BPF_CORE_READ(task, group_leader);
  sample = &scratch->sample;
  sample->pid = id >> 32;
  sample->tid = (__u32)id;
  sample->process_start_ns = BPF_CORE_READ(leader, start_boottime);
  if (only_targets && !is_target(sample->pid, sample->process_start_ns)) {
    count->other_ticks++;
    return 0;
  }
  sample->time_ns = now;
  sample->cpu = bpf_get_smp_processor_id();
  bpf_get_current_comm(sample->thread_name, sizeof(sample->thread_name));
  bpf_probe_read_kernel(sample->process_name, sizeof(sample->process_name), leader->comm);

  /* Kernel addresses are the upper half. */
  in_kernel = context->regs.ip >> 63;
  sample->kernel_frames = in_kernel ? kernel_stack(context, scratch) : 0;
  sample->user_frames = 0;
  sample->user_end = PILOTLIGHT_END_NO_USER_STACK;
  if (find_user_registers(context, task, in_kernel, &scratch->registers)) walk_user_stack(scratch);

  bytes = (sample->kernel_frames + sample->user_frames) * sizeof(__u64);
  if (bytes > sizeof(scratch->addresses)) return 0;
  bytes += sizeof(*sample);
  /* The worker looks by itself every so often; waking it for each sample would double the cost of one. */
  if (bpf_ringbuf_output(&samples, scratch, bytes, BPF_RB_NO_WAKEUP))
    count->lost++;
  else
    count->samples++;
  return 0;
}
