// SPDX-License-Identifier: Apache-2.0
// bench_killswitch_latency [RUNS]: how long after a touch of the killswitch does anything still happen?
//  effect: from the touch to the last tick of a BPF program that found the arm word armed (ten thousand a
//  second on each
//          CPU, so the figure is up to 0.1 ms too small)
//  death:  from the touch to the worker being dead
//  gone:   from the touch to its program being unloaded
#include <fcntl.h>
#include <linux/bpf.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "common/clock.h"
#include "common/killswitch.h"
#include "common/unique_handle.h"
#include "tests/support/bpf_programs.h"
#include "tests/support/child.h"
#include "tests/support/private_etc.h"

namespace {

using namespace pilotlight;
using namespace pilotlight::test;
using namespace std::chrono_literals;

constexpr std::size_t cpus = 512;

int bpf(bpf_cmd command, bpf_attr& attributes) {
  return static_cast<int>(::syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

bool is_named(int map, const char* name) {
  bpf_map_info info{};
  bpf_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.info.bpf_fd = static_cast<std::uint32_t>(map);
  attributes.info.info_len = sizeof info;
  attributes.info.info = reinterpret_cast<std::uint64_t>(&info);
  return bpf(BPF_OBJ_GET_INFO_BY_FD, attributes) == 0 && std::strcmp(info.name, name) == 0;
}

/// The newest map of that name, of whichever worker lives now.
UniqueFd find_map(const char* name) {
  UniqueFd found;
  bpf_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  while (bpf(BPF_MAP_GET_NEXT_ID, attributes) == 0) {
    const std::uint32_t id = attributes.next_id;
    bpf_attr open;
    std::memset(&open, 0, sizeof open);
    open.map_id = id;
    UniqueFd map(bpf(BPF_MAP_GET_FD_BY_ID, open));
    if (map && is_named(map.get(), name)) found = std::move(map);
    std::memset(&attributes, 0, sizeof attributes);
    attributes.start_id = id;
  }
  return found;
}

/// The ticks of one worker, seen through its map, which we hold beyond its death.
class Ticks {
 public:
  explicit Ticks(UniqueFd map) : map_(std::move(map)) {
    memory_ = ::mmap(nullptr, cpus * sizeof(std::uint64_t), PROT_READ, MAP_SHARED, map_.get(), 0);
  }
  ~Ticks() { ::munmap(memory_, cpus * sizeof(std::uint64_t)); }
  Ticks(const Ticks&) = delete;
  Ticks& operator=(const Ticks&) = delete;
  [[nodiscard]] std::uint64_t last() const {
    const auto* values = static_cast<const volatile std::uint64_t*>(memory_);
    return *std::max_element(values, values + cpus);
  }

 private:
  UniqueFd map_;
  void* memory_;
};

std::uint64_t now_ns() { return to_nanoseconds(MonotonicClock::now()); }

pid_t find_worker(pid_t supervisor) {
  for (const pid_t pid : children_of(supervisor))
    if (process_name(pid) == "bench_ticking_w") return pid;
  return 0;
}

void report(const char* name, std::vector<double>& milliseconds) {
  std::ranges::sort(milliseconds);
  const auto at = [&](double part) {
    return milliseconds[static_cast<std::size_t>(part * static_cast<double>(milliseconds.size() - 1))];
  };
  std::printf("%-7s ms: p50 %.3f  p90 %.3f  p99 %.3f  max %.3f  (%zu runs)\n", name, at(0.5), at(0.9),
              at(0.99), milliseconds.back(), milliseconds.size());
}

struct Latencies {
  std::vector<double> effect, death, gone;
};

bool run_once(pid_t supervisor, std::chrono::milliseconds settle, Latencies& latencies) {
  pid_t worker = 0;
  if (!eventually([&] { return (worker = find_worker(supervisor)) != 0; }, 20s)) return false;
  const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, worker, 0)));
  // The map of the worker before may still be there: the one that ticks is the right one.
  std::optional<Ticks> ticking;
  const bool ticks_now = eventually(
      [&] {
        UniqueFd map = find_map("last_armed");
        if (!map) return false;
        ticking.emplace(std::move(map));
        return now_ns() - ticking->last() < 1'000'000;
      },
      20s);
  if (!ticks_now) return false;
  const Ticks& ticks = *ticking;
  std::this_thread::sleep_for(settle);

  const std::uint64_t touched = now_ns();
  const UniqueFd file(::open(killswitch_path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
  pollfd wait{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
  ::poll(&wait, 1, 20'000);
  const std::uint64_t dead = now_ns();
  if (!eventually([&] { return loaded_programs("note_tick").empty(); }, 20s)) return false;
  const std::uint64_t gone = now_ns();
  const auto since_touch = [&](std::uint64_t time) {
    return time > touched ? static_cast<double>(time - touched) / 1e6 : 0;
  };
  latencies.effect.push_back(since_touch(ticks.last()));
  latencies.death.push_back(since_touch(dead));
  latencies.gone.push_back(since_touch(gone));
  ::unlink(killswitch_path);
  return true;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const int runs = argument_count > 1 ? std::atoi(arguments[1]) : 500;
  const PrivateEtc private_etc;
  const Child supervisor(
      {"pilotlightd_fast_settling", "--worker", std::string(PILOTLIGHT_BIN_DIR) + "/bench_ticking_worker"});
  std::mt19937 random(1);
  Latencies latencies;
  for (int run = 0; run < runs; ++run)
    if (!run_once(supervisor.pid(), std::chrono::milliseconds(random() % 50), latencies)) {
      std::fprintf(stderr, "run %d did not come to its end; the supervisor says:\n%s", run,
                   supervisor.standard_error().c_str());
      return 1;
    }
  report("effect", latencies.effect);
  report("death", latencies.death);
  report("gone", latencies.gone);
  return 0;
}
