// SPDX-License-Identifier: Apache-2.0
#include "common/killswitch_watcher.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "common/clock.h"

namespace pilotlight {

namespace {

constexpr mode_t killswitch_directory_mode = 0755;

/// inotify on the switch's directory and on its parent; the watches are set anew at every look, because the
/// directory may have been replaced. Without inotify (no instances left) the one-second check goes on alone.
class PathWatch {
 public:
  PathWatch() : fd_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

  [[nodiscard]] int fd() const { return fd_.get(); }

  void renew() noexcept {
    if (!fd_) return;
    constexpr unsigned entries = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR;
    parent_ = replace(parent_, ::inotify_add_watch(fd_.get(), killswitch_parent_directory, entries));
    directory_ =
        replace(directory_, ::inotify_add_watch(fd_.get(), killswitch_directory,
                                                entries | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF));
  }

  /// Empties the queue. True if the switch itself was created or moved into place, however briefly.
  [[nodiscard]] bool drain() noexcept {
    bool appeared = false;
    alignas(inotify_event) std::array<char, 8192> buffer;
    for (;;) {
      const ssize_t got = ::read(fd_.get(), buffer.data(), buffer.size());
      if (got <= 0) return appeared;
      for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
        const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
        if (event->wd == directory_ && (event->mask & (IN_CREATE | IN_MOVED_TO)) != 0 && event->len > 0 &&
            std::strcmp(event->name, killswitch_name) == 0)
          appeared = true;
        // An overflowed queue may have lost exactly that event.
        if ((event->mask & IN_Q_OVERFLOW) != 0) appeared = true;
        at += sizeof(inotify_event) + event->len;
      }
    }
  }

 private:
  int replace(int old_watch, int new_watch) noexcept {
    if (old_watch >= 0 && old_watch != new_watch) ::inotify_rm_watch(fd_.get(), old_watch);
    return new_watch;
  }

  UniqueFd fd_;
  int parent_ = -1;
  int directory_ = -1;
};

struct WatcherTask {
  int socket = -1;
  KillswitchWatcher::Directory directory = KillswitchWatcher::Directory::may_be_missing;
  std::optional<DirectoryIdentity> expected;
};

class WatcherLoop {
 public:
  explicit WatcherLoop(const WatcherTask& task)
      : socket_(task.socket),
        directory_must_stay_(task.directory == KillswitchWatcher::Directory::must_stay),
        mount_table_(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)),
        expected_(task.expected) {
    if (!directory_must_stay_ || expected_) return;
    // A killswitch can only be put into a directory that exists; making it is the service's job.
    if (::mkdir(killswitch_directory, killswitch_directory_mode) != 0 && errno != EEXIST)
      mkdir_error_ = errno;
    expected_ = killswitch_directory_identity();
  }

  /// Ends when the owner is gone.
  void run() noexcept {
    bool appeared = false;
    for (;;) {
      watch_.renew();
      if (!report(appeared)) return;
      std::array<pollfd, 3> waits{pollfd{.fd = watch_.fd(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = mount_table_.get(), .events = POLLPRI, .revents = 0},
                                  pollfd{.fd = socket_, .events = POLLIN, .revents = 0}};
      ::poll(waits.data(), waits.size(), static_cast<int>(watcher_period.count()));
      if ((waits[2].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) return;
      std::array<char, 16> request;
      if ((waits[2].revents & POLLIN) != 0 && ::recv(socket_, request.data(), request.size(), 0) == 0) return;
      appeared = watch_.drain();
    }
  }

 private:
  [[nodiscard]] SwitchReading look() const noexcept {
    if (!directory_must_stay_) return killswitch_reading();
    if (expected_) return killswitch_reading(*expected_);
    SwitchReading reading = killswitch_reading();
    if (reading.state == SwitchState::released) {
      reading.state = SwitchState::unknown;
      reading.directory_replaced = true;
      reading.error_number = mkdir_error_;
    }
    return reading;
  }

  [[nodiscard]] bool send(const SwitchReport& report) const noexcept {
    const std::size_t size = offsetof(SwitchReport, reason) + report.reason_length;
    return ::send(socket_, &report, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
  }

  [[nodiscard]] bool report(bool appeared) noexcept {
    SwitchReport report;
    report.checked_at_ns = to_nanoseconds(MonotonicClock::now());
    report.reading = look();
    report.appeared = appeared;
    report.directory = expected_;
    if (!send(report)) return false;
    if (report.reading.state != SwitchState::engaged) {
      told_reason_.reason_length = 0;
      return true;
    }
    // Only now, after the owner knows: reading a file can take as long as its filesystem likes. And at each
    // look: a file is created first and written afterwards.
    report.reason_length = static_cast<std::uint16_t>(killswitch_reason(report.reason));
    if (report.reason_text() == told_reason_.reason_text()) return true;
    told_reason_ = report;
    return send(report);
  }

  int socket_;
  bool directory_must_stay_;
  SwitchReport told_reason_;  ///< the last report with a reason
  UniqueFd mount_table_;
  std::optional<DirectoryIdentity> expected_;
  int mkdir_error_ = 0;
  PathWatch watch_;
};

[[noreturn]] void watch_for_ever(void* argument) {
  // It ends with its owner. A service manager that signals every process of a service must not end it
  // earlier.
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) ::signal(number, SIG_IGN);
  WatcherLoop(*static_cast<const WatcherTask*>(argument)).run();
  ::_exit(0);
}

}  // namespace

Result<KillswitchWatcher> KillswitchWatcher::start(Directory directory,
                                                   const std::optional<DirectoryIdentity>& expected) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return system_error("cannot create the socket of the killswitch watcher");
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  WatcherTask task{.socket = theirs.get(), .directory = directory, .expected = expected};
  auto process = ChildProcess::run(watch_for_ever, &task, theirs.get());
  if (!process) return std::unexpected(process.error());
  return KillswitchWatcher(std::move(*process), std::move(ours));
}

KillswitchWatcher::Received KillswitchWatcher::receive() noexcept {
  SwitchReport report;
  const ssize_t got = ::recv(socket_.get(), &report, sizeof report, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  const std::size_t expected = offsetof(SwitchReport, reason) + report.reason_length;
  if (got < static_cast<ssize_t>(offsetof(SwitchReport, reason)) ||
      static_cast<std::size_t>(got) != expected || expected > sizeof report)
    return {.ended = true, .report = std::nullopt};
  return {.ended = false, .report = report};
}

void KillswitchWatcher::request_check() noexcept {
  const char request = '?';
  ::send(socket_.get(), &request, sizeof request, MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace pilotlight
