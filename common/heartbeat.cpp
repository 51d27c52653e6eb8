// SPDX-License-Identifier: Apache-2.0
#include "common/heartbeat.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <utility>

namespace pilotlight {

Result<Heartbeat> Heartbeat::create() {
  UniqueFd fd(::memfd_create("pilotlight heartbeat", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return system_error("cannot create the heartbeat");
  if (::ftruncate(fd.get(), sizeof(Counter)) != 0) return system_error("cannot size the heartbeat");
  // A worker that shrank the file would kill its owner with SIGBUS.
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return system_error("cannot seal the heartbeat");
  return open(std::move(fd));
}

Result<Heartbeat> Heartbeat::open(UniqueFd fd) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0 || status.st_size < static_cast<off_t>(sizeof(Counter)))
    return failure("descriptor " + std::to_string(fd.get()) + " is not a heartbeat");
  void* memory = ::mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) return system_error("cannot map the heartbeat");
  return Heartbeat(std::move(fd), static_cast<Counter*>(memory));
}

Heartbeat::Heartbeat(Heartbeat&& other) noexcept
    : fd_(std::move(other.fd_)), counter_(std::exchange(other.counter_, nullptr)) {}

Heartbeat& Heartbeat::operator=(Heartbeat&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(counter_, other.counter_);
  return *this;
}

Heartbeat::~Heartbeat() {
  if (counter_ != nullptr) ::munmap(counter_, sizeof(Counter));
}

}  // namespace pilotlight
