// SPDX-License-Identifier: Apache-2.0
// bench_adhoc_cost [SECONDS] [HERTZ]: what does an adhoc profile of the busy machine cost?
// Keeps all CPUs busy, profiles them, and prints the CPU time of the profiler's processes (rusage of the
// tree), the run time of its BPF program (the kernel's statistics), and the largest process's memory.
#include <bpf/bpf.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/unique_handle.h"
#include "tests/support/bpf_programs.h"
#include "tests/support/child.h"
#include "tests/support/private_etc.h"
#include "tests/support/temporary_directory.h"

namespace {

using namespace pilotlight;
using namespace pilotlight::test;

struct BpfCost {
  std::uint64_t nanoseconds = 0;
  std::uint64_t runs = 0;
};

/// Run time of the sampling programs, as the kernel measured it so far.
BpfCost bpf_cost() {
  BpfCost cost;
  for (const std::uint32_t id : loaded_programs(sampling_program_name)) {
    const UniqueFd program(bpf_prog_get_fd_by_id(id));
    bpf_prog_info info{};
    std::uint32_t size = sizeof info;
    if (!program || bpf_obj_get_info_by_fd(program.get(), &info, &size) != 0) continue;
    cost.nanoseconds += info.run_time_ns;
    cost.runs += info.run_cnt;
  }
  return cost;
}

/// Keeps the highest figures seen while the program lives.
class BpfCostWatch {
 public:
  BpfCostWatch()
      : statistics_(bpf_enable_stats(BPF_STATS_RUN_TIME)), thread_([this](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            if (const BpfCost now = bpf_cost(); now.runs > last_.runs) last_ = now;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          }
        }) {}
  BpfCost stop() {
    thread_.request_stop();
    thread_.join();
    return last_;
  }

 private:
  UniqueFd statistics_;
  BpfCost last_;
  std::jthread thread_;
};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::string duration = argument_count > 1 ? arguments[1] : "10";
  const std::string frequency = argument_count > 2 ? arguments[2] : "99";
  const PrivateEtc private_etc;
  const TemporaryDirectory folder;
  std::vector<std::unique_ptr<Child>> burners;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
    burners.push_back(std::make_unique<Child>(std::vector<std::string>{"shares", "600"}));
    burners.push_back(std::make_unique<Child>(std::vector<std::string>{"deep", "40", "600"}));
  }
  BpfCostWatch watch;
  const std::string program = std::string(PILOTLIGHT_BIN_DIR) + "/pilotlight";
  const std::string output = folder / "x.pb.gz";
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::execl(program.c_str(), "pilotlight", "-d", duration.c_str(), "-F", frequency.c_str(), "-o",
            output.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  ::wait4(pid, &status, 0, &usage);
  const BpfCost bpf = watch.stop();
  const double bpf_seconds = static_cast<double>(bpf.nanoseconds) / 1e9;
  const double processes = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  std::printf("exit status %d\n", WEXITSTATUS(status));
  std::printf("processes: %.3f s user + %.3f s system = %.3f s of CPU; largest %.1f MB\n",
              seconds(usage.ru_utime), seconds(usage.ru_stime), processes,
              static_cast<double>(usage.ru_maxrss) / 1024);
  std::printf("BPF:       %.4f s in %llu runs, %.2f µs each\n", bpf_seconds,
              static_cast<unsigned long long>(bpf.runs),
              bpf.runs == 0 ? 0 : 1e6 * bpf_seconds / static_cast<double>(bpf.runs));
  std::printf("together:  %.3f s\n", processes + bpf_seconds);
  return 0;
}
