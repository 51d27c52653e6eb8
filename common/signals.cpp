// SPDX-License-Identifier: Apache-2.0
#include "common/signals.h"

#include <pthread.h>
#include <sys/signalfd.h>

#include <utility>

namespace pilotlight {

Result<SignalDescriptor> SignalDescriptor::create(std::initializer_list<int> wanted) {
  ::signal(SIGCHLD, SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  // Left deliverable: these are bugs of our own, and blocking them would turn a crash into a loop.
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) sigdelset(&all, fault);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  sigset_t set;
  sigemptyset(&set);
  for (const int number : wanted) sigaddset(&set, number);
  UniqueFd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) return system_error("cannot create a signal descriptor");
  return SignalDescriptor(std::move(fd));
}

std::optional<int> SignalDescriptor::next() const {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

}  // namespace pilotlight
