// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <utility>

namespace pilotlight {

/// Owner of a handle that is a plain value. Traits has `type`, `invalid` and `release(type)`.
template <class Traits>
class UniqueHandle {
 public:
  using Type = typename Traits::type;

  UniqueHandle() = default;
  explicit UniqueHandle(Type value) : value_(value) {}
  UniqueHandle(UniqueHandle&& other) noexcept : value_(other.release()) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  UniqueHandle(const UniqueHandle&) = delete;
  UniqueHandle& operator=(const UniqueHandle&) = delete;
  ~UniqueHandle() { reset(); }

  [[nodiscard]] Type get() const { return value_; }
  [[nodiscard]] explicit operator bool() const { return value_ != Traits::invalid; }
  [[nodiscard]] Type release() { return std::exchange(value_, Traits::invalid); }
  void reset(Type value = Traits::invalid) {
    if (value_ != Traits::invalid) Traits::release(value_);
    value_ = value;
  }

 private:
  Type value_ = Traits::invalid;
};

struct FdTraits {
  using type = int;
  static constexpr int invalid = -1;
  static void release(int fd) { ::close(fd); }
};

/// Owner of a file descriptor.
using UniqueFd = UniqueHandle<FdTraits>;

}  // namespace pilotlight
