// SPDX-License-Identifier: Apache-2.0
// shares SECONDS: burns CPU time in three functions, 60 %, 30 % and 10 % of it, for so many seconds of wall
// time. Built with frame pointers. Prints the CPU time that it used, in seconds.
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

std::int64_t now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

[[gnu::always_inline]] inline void burn(std::int64_t cpu_ns) {
  const std::int64_t until = now(CLOCK_THREAD_CPUTIME_ID) + cpu_ns;
  volatile std::uint64_t state = 1;
  // Seldom enough that reading the clock, which is a system call, takes no share of its own.
  while (now(CLOCK_THREAD_CPUTIME_ID) < until)
    for (int i = 0; i < 50'000; ++i) state = state * 6364136223846793005ULL + 1442695040888963407ULL;
}

}  // namespace

// A turn takes 17 ms of CPU time, which no usual sampling period divides.
extern "C" [[gnu::noinline, gnu::noclone]] void share_of_sixty() { burn(10'200'000); }
extern "C" [[gnu::noinline, gnu::noclone]] void share_of_thirty() { burn(5'100'000); }
extern "C" [[gnu::noinline, gnu::noclone]] void share_of_ten() { burn(1'700'000); }

int main(int argument_count, char** arguments) {
  const double seconds = argument_count > 1 ? std::atof(arguments[1]) : 1;
  const std::int64_t until = now(CLOCK_MONOTONIC) + static_cast<std::int64_t>(seconds * 1e9);
  while (now(CLOCK_MONOTONIC) < until) {
    share_of_sixty();
    share_of_thirty();
    share_of_ten();
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%.6f\n", static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                            static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
}
