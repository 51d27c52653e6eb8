/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first thing that every program does: look at the arm word (common/arm_word.h), and do nothing unless it
 * is armed. The word belongs to the process that watches the killswitch; no program can write it.
 */
#pragma once

#include "bpf/maps.bpf.h"

/* longest_believed_lease of common/arm_word.h. */
#define PILOTLIGHT_LONGEST_LEASE_NS 4000000000ULL

/* The time now (CLOCK_MONOTONIC ns) if collecting is allowed, else 0. */
static __always_inline __u64 armed_time(void) {
  __u32 key = 0;
  volatile __u64* word = bpf_map_lookup_elem(&pilotlight_arm, &key);
  __u64 until, now;

  if (!word) return 0;
  until = *word;
  if (!until) return 0;
  now = bpf_ktime_get_ns();
  /*
   * Unsigned, so that one comparison refuses both a word that has passed and one that is further ahead than
   * any lease can be: a writer whose clock is not the kernel's must not arm for days.
   */
  if (until - now - 1 >= PILOTLIGHT_LONGEST_LEASE_NS) return 0;
  return now;
}
