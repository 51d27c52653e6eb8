// SPDX-License-Identifier: Apache-2.0
// A program with every kind of symbol that the choice of a name depends on.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace outer {
template <class Number>
class Counter {
 public:
  __attribute__((noinline)) void add(Number number) { total_ += number * number; }
  [[nodiscard]] Number total() const { return total_; }

 private:
  Number total_ = 0;
};
}  // namespace outer

extern "C" {
__attribute__((noinline)) int global_function(int number) { return std::abs(number) + 1; }

__attribute__((noinline, used)) static int local_function(int number) {
  return number * 3 +
         static_cast<int>(std::strlen(std::getenv("HOME") == nullptr ? "" : std::getenv("HOME")));
}

// The same code under several names.
int global_alias(int number) __attribute__((alias("global_function")));
int __global_alias_with_underscores(int number) __attribute__((alias("global_function")));
int weak_alias_of_local(int number) __attribute__((weak, alias("local_function")));

// Chosen when the program starts, through a relocation without a name.
static int chosen_at_start(int number) { return number + 4; }
static int (*choose())(int) { return chosen_at_start; }
int indirect_function(int number) __attribute__((ifunc("choose")));
}

// Assembly, where sizes and types are a matter of diligence. Offsets are asserted by the test.
asm(R"(
  .text
  .balign 64
  .globl sized_outer
  .type sized_outer, @function
sized_outer:
  .skip 8, 0x90
  .type sized_inner, @function
sized_inner:
  .skip 8, 0x90
  .size sized_inner, . - sized_inner
label_inside:
  .skip 16, 0x90
  .size sized_outer, . - sized_outer

  .skip 8, 0x90
label_without_type:
  .skip 8, 0x90
  .type function_without_size, @function
function_without_size:
  .skip 24, 0x90
  .globl after_the_labels
  .type after_the_labels, @function
after_the_labels:
  ret
  .size after_the_labels, . - after_the_labels
  .skip 7, 0x90

  .section code_of_its_own, "ax", @progbits
  .type last_of_its_section, @function
last_of_its_section:
  .skip 5, 0x90
  .previous
)");

int main(int count, char**) {
  outer::Counter<long> counter;
  counter.add(global_function(count) + local_function(count) + indirect_function(count));
  std::printf("%ld\n", counter.total());
  return 0;
}
