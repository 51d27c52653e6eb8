// SPDX-License-Identifier: Apache-2.0
#include "supervisor/effect_check.h"

#include <linux/bpf.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/unique_handle.h"

namespace pilotlight {

namespace {

constexpr std::chrono::milliseconds first_looks{20};
constexpr std::chrono::seconds later_looks{1};

enum class Presence : unsigned char { there, gone, not_told };

Presence presence_of(std::uint32_t program_id) noexcept {
  bpf_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.prog_id = program_id;
  const UniqueFd fd(
      static_cast<int>(::syscall(SYS_bpf, BPF_PROG_GET_FD_BY_ID, &attributes, sizeof attributes)));
  if (!fd && errno == ENOENT) return Presence::gone;
  if (!fd && errno == EPERM) return Presence::not_told;
  // Any other error (no descriptors left, say) does not prove that it is gone.
  return Presence::there;
}

}  // namespace

void EffectCheck::begin(const WorkerReady& programs, TimePoint now) noexcept {
  count_ = std::min<std::size_t>(programs.program_count, ids_.size());
  std::copy_n(programs.program_ids.begin(), count_, ids_.begin());
  refused_ = false;
  began_ = now;
}

bool EffectCheck::look() noexcept {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const Presence presence = presence_of(ids_[i]);
    if (presence == Presence::not_told) refused_ = true;
    if (presence == Presence::there) ids_[kept++] = ids_[i];
  }
  count_ = kept;
  return count_ == 0;
}

EffectCheck::TimePoint EffectCheck::next_look(TimePoint now) const noexcept {
  if (now - began_ < leak_limit) return now + first_looks;
  return now + later_looks;
}

}  // namespace pilotlight
