// SPDX-License-Identifier: Apache-2.0
#include "worker/kernel/sampling_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <string>
#include <utility>

#include "bpf/pilotlight_bpf.skel.h"
#include "worker/kernel/bpf_handle.h"
#include "worker/kernel/perf_event.h"

namespace pilotlight {

namespace {

constexpr std::size_t smallest_ring = 4096;

/// libbpf's last complaint: it prints reasons that its return values do not carry.
std::string& last_complaint() {
  static std::string text;
  return text;
}

__attribute__((format(printf, 2, 0))) int keep_complaint(libbpf_print_level level, const char* format,
                                                         va_list values) {
  if (level != LIBBPF_WARN || !last_complaint().empty()) return 0;
  std::array<char, 512> line{};
  std::vsnprintf(line.data(), line.size(), format, values);
  last_complaint() = line.data();
  while (last_complaint().ends_with('\n')) last_complaint().pop_back();
  return 0;
}

std::unexpected<Error> bpf_error(std::string what, int negative_errno) {
  if (!last_complaint().empty()) what += " (" + std::exchange(last_complaint(), {}) + ")";
  return std::unexpected(Error{std::move(what), -negative_errno, "see `dmesg` and README.md, Requirements"});
}

struct SkeletonDeleter {
  void operator()(pilotlight_bpf* skeleton) const { pilotlight_bpf__destroy(skeleton); }
};

using ReceiveRecord = std::function<void(std::span<const std::byte>)>;

/// A record on its way from libbpf's callback, which takes a plain pointer, to the reader of the moment.
struct Receiver {
  const ReceiveRecord* receive = nullptr;

  static int hand_out(void* context, void* data, std::size_t size) {
    const auto* self = static_cast<const Receiver*>(context);
    if (self->receive != nullptr) (*self->receive)({static_cast<const std::byte*>(data), size});
    return 0;
  }
};

}  // namespace

struct SamplingProgram::Loaded {
  std::unique_ptr<pilotlight_bpf, SkeletonDeleter> skeleton;
  Receiver receiver;
  BpfRingBuffer ring;
  std::vector<UniqueFd> events;
  std::vector<UniqueFd> event_links;
  std::vector<BpfLink> links;
};

SamplingProgram::SamplingProgram(std::unique_ptr<Loaded> loaded) : loaded_(std::move(loaded)) {}
SamplingProgram::SamplingProgram(SamplingProgram&&) noexcept = default;
SamplingProgram& SamplingProgram::operator=(SamplingProgram&&) noexcept = default;
SamplingProgram::~SamplingProgram() = default;

Result<SamplingProgram> SamplingProgram::load(const SamplingProgramSettings& settings) {
  libbpf_set_print(keep_complaint);
  last_complaint().clear();
  auto loaded = std::make_unique<Loaded>();
  loaded->skeleton.reset(pilotlight_bpf__open());
  auto* skeleton = loaded->skeleton.get();
  if (skeleton == nullptr) return bpf_error("cannot open the BPF programs", -errno);
  skeleton->rodata->only_targets = settings.only_targets;
  skeleton->rodata->with_kernel_stacks = settings.kernel_stacks;
  bpf_program__set_autoload(skeleton->progs.follow_fork, settings.only_targets);
  bpf_program__set_autoload(skeleton->progs.count_exit, settings.only_targets);
  const auto ring_bytes =
      static_cast<std::uint32_t>(std::bit_ceil(std::max(settings.ring_bytes, smallest_ring)));
  if (const int error = bpf_map__set_max_entries(skeleton->maps.samples, ring_bytes); error != 0)
    return bpf_error("cannot size the sample ring", error);
  if (const int error = bpf_map__reuse_fd(skeleton->maps.pilotlight_arm, settings.arm_word_fd); error != 0)
    return bpf_error("cannot use the arm word", error);
  if (const int error = pilotlight_bpf__load(skeleton); error != 0)
    return bpf_error("the kernel does not accept the BPF programs", error);
  loaded->ring.reset(
      ring_buffer__new(bpf_map__fd(skeleton->maps.samples), Receiver::hand_out, &loaded->receiver, nullptr));
  if (!loaded->ring) return bpf_error("cannot read the sample ring", -errno);
  return SamplingProgram(std::move(loaded));
}

Result<void> SamplingProgram::attach(UniqueFd sampling_event) {
  // Not libbpf's own attach: it enables the event, and the run begins only when it is armed.
  const int program = bpf_program__fd(loaded_->skeleton->progs.take_sample);
  UniqueFd link(bpf_link_create(program, sampling_event.get(), BPF_PERF_EVENT, nullptr));
  if (!link) return bpf_error("cannot attach to a sampling event", -errno);
  loaded_->events.push_back(std::move(sampling_event));
  loaded_->event_links.push_back(std::move(link));
  return {};
}

Result<void> SamplingProgram::attach_following() {
  for (bpf_program* program : {loaded_->skeleton->progs.follow_fork, loaded_->skeleton->progs.count_exit}) {
    BpfLink link(bpf_program__attach(program));
    if (!link) return bpf_error(std::string("cannot attach ") + bpf_program__name(program), -errno);
    loaded_->links.push_back(std::move(link));
  }
  return {};
}

Result<void> SamplingProgram::enable() {
  for (const auto& event : loaded_->events)
    if (auto enabled = enable_event(event.get()); !enabled) return enabled;
  return {};
}

Result<void> SamplingProgram::disable() {
  for (const auto& event : loaded_->events)
    if (auto disabled = disable_event(event.get()); !disabled) return disabled;
  return {};
}

Result<void> SamplingProgram::add_target(std::uint32_t pid, std::uint64_t start_ticks) {
  const int error = bpf_map__update_elem(loaded_->skeleton->maps.targets, &pid, sizeof pid, &start_ticks,
                                         sizeof start_ticks, BPF_ANY);
  if (error != 0) return bpf_error("cannot add process " + std::to_string(pid) + " to the targets", error);
  return {};
}

std::vector<std::uint32_t> SamplingProgram::targets() const {
  std::vector<std::uint32_t> pids;
  std::uint32_t next = 0;
  std::uint32_t previous = 0;
  const bpf_map* map = loaded_->skeleton->maps.targets;
  while (bpf_map__get_next_key(map, pids.empty() ? nullptr : &previous, &next, sizeof next) == 0) {
    pids.push_back(next);
    previous = next;
  }
  return pids;
}

void SamplingProgram::read_samples(const ReceiveRecord& receive) {
  loaded_->receiver.receive = &receive;
  ring_buffer__consume(loaded_->ring.get());
  loaded_->receiver.receive = nullptr;
}

Result<pilotlight_counters> SamplingProgram::counters() const {
  const int cpus = libbpf_num_possible_cpus();
  if (cpus <= 0) return bpf_error("cannot count the CPUs", cpus);
  std::vector<pilotlight_counters> each(static_cast<std::size_t>(cpus));
  const std::uint32_t key = 0;
  const int error = bpf_map__lookup_elem(loaded_->skeleton->maps.counters, &key, sizeof key, each.data(),
                                         each.size() * sizeof each[0], 0);
  if (error != 0) return bpf_error("cannot read the counters", error);
  pilotlight_counters sum{};
  for (const auto& cpu : each) {
    sum.other_ticks += cpu.other_ticks;
    sum.samples += cpu.samples;
    sum.lost += cpu.lost;
    sum.exited_cpu_ns += cpu.exited_cpu_ns;
  }
  return sum;
}

std::vector<std::uint32_t> SamplingProgram::program_ids() const {
  std::vector<std::uint32_t> ids;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, loaded_->skeleton->obj) {
    const int fd = bpf_program__fd(program);
    if (fd < 0) continue;
    bpf_prog_info info{};
    std::uint32_t size = sizeof info;
    if (bpf_obj_get_info_by_fd(fd, &info, &size) == 0) ids.push_back(info.id);
  }
  return ids;
}

}  // namespace pilotlight
