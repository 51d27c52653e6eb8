// SPDX-License-Identifier: Apache-2.0
// deep DEPTH SECONDS: burns CPU time at the bottom of a recursion of DEPTH frames, in leaf_of_recursion().
// True stack: main, DEPTH times recurse, leaf_of_recursion. Built with frame pointers.
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace

extern "C" [[gnu::noinline, gnu::noclone]] std::uint64_t leaf_of_recursion(double until) {
  volatile std::uint64_t state = 1;
  while (now() < until)
    for (int i = 0; i < 20'000; ++i) state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return state;
}

extern "C" [[gnu::noinline, gnu::noclone]] std::uint64_t recurse(int depth, double until) {
  const std::uint64_t value = depth <= 1 ? leaf_of_recursion(until) : recurse(depth - 1, until);
  return value ^ static_cast<std::uint64_t>(depth);  // after the call, so that it is no tail call
}

int main(int argument_count, char** arguments) {
  const int depth = argument_count > 1 ? std::atoi(arguments[1]) : 30;
  const double seconds = argument_count > 2 ? std::atof(arguments[2]) : 1;
  return recurse(depth, now() + seconds) == 42 ? 1 : 0;
}
