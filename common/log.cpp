// SPDX-License-Identifier: Apache-2.0
#include "common/log.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <boost/log/attributes/clock.hpp>
#include <boost/log/core.hpp>
#include <boost/log/expressions.hpp>
#include <boost/log/sinks/async_frontend.hpp>
#include <boost/log/sinks/basic_sink_backend.hpp>
#include <boost/log/sinks/bounded_fifo_queue.hpp>
#include <boost/log/sources/record_ostream.hpp>
#include <boost/log/sources/severity_logger.hpp>
#include <boost/log/support/date_time.hpp>
#include <boost/make_shared.hpp>
#include <boost/smart_ptr/shared_ptr.hpp>
#include <cstdint>
#include <memory>
#include <thread>

namespace pilotlight {

namespace {

namespace logging = boost::log;

constexpr std::size_t queue_length = 256;

/// Shared between the callers' threads and the log thread.
struct Counters {
  std::atomic<std::uint64_t> queued{0};
  std::atomic<std::uint64_t> written{0};
  std::atomic<std::uint64_t> dropped{0};
};

Counters& counters() {
  static Counters instance;
  return instance;
}

/// Overflow policy of the queue: count, and let the record go.
struct CountAndDrop {
  template <class Lock>
  static bool on_overflow(const logging::record_view& /*record*/, Lock& /*lock*/) {
    counters().dropped.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  static void on_queue_space_available() {}
  static void interrupt() {}
};

void write_line(std::string line) {
  line += '\n';
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = ::write(STDERR_FILENO, line.data() + done, line.size() - done);
    if (written > 0) {
      done += static_cast<std::size_t>(written);
    } else if (written < 0 && errno == EAGAIN) {
      pollfd wait{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
      ::poll(&wait, 1, -1);
    } else if (written == 0 || errno != EINTR) {
      return;  // nowhere left to say it
    }
  }
}

class StandardError
    : public logging::sinks::basic_formatted_sink_backend<char, logging::sinks::synchronized_feeding> {
 public:
  explicit StandardError(std::string program) : program_(std::move(program)) {}

  void consume(const logging::record_view& /*record*/, const string_type& line) {
    const std::uint64_t dropped = counters().dropped.load(std::memory_order_relaxed);
    if (dropped > told_dropped_) {
      write_line(program_ + ": warning: " + std::to_string(dropped - told_dropped_) +
                 " log lines dropped, standard error was not read fast enough");
      told_dropped_ = dropped;
    }
    write_line(line);
    counters().written.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  std::string program_;
  std::uint64_t told_dropped_ = 0;
};

const char* name_of(Severity severity) {
  switch (severity) {
    case Severity::debug:
      return "debug";
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";
}

using Sink =
    logging::sinks::asynchronous_sink<StandardError,
                                      logging::sinks::bounded_fifo_queue<queue_length, CountAndDrop>>;
using Logger = logging::sources::severity_logger<Severity>;

BOOST_LOG_ATTRIBUTE_KEYWORD(severity_attribute, "Severity", Severity)

/// What start_log() sets up; never destroyed, see drain_log().
struct Setup {
  Logger logger;
  Severity least = Severity::info;
  std::atomic<bool> started{false};
};

Setup& setup() {
  static auto* instance = new Setup;
  return *instance;
}

}  // namespace

void start_log(const std::string& program, Severity least) {
  const auto sink = boost::make_shared<Sink>(boost::make_shared<StandardError>(program));
  sink->set_formatter([program](const logging::record_view& record, logging::formatting_ostream& stream) {
    stream << program << ": " << name_of(record[severity_attribute].get()) << ": "
           << record[logging::expressions::smessage];
  });
  logging::core::get()->add_sink(sink);
  setup().least = least;
  setup().started = true;
}

void log(Severity severity, const std::string& line) {
  Setup& log_setup = setup();
  if (severity < log_setup.least) return;
  if (!log_setup.started) {
    write_line(std::string(name_of(severity)) + ": " + line);
    return;
  }
  counters().queued.fetch_add(1, std::memory_order_relaxed);
  BOOST_LOG_SEV(log_setup.logger, severity) << line;
}

void drain_log(std::chrono::milliseconds limit) {
  if (!setup().started) return;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const Counters& count = counters();
  while (count.written + count.dropped < count.queued && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace pilotlight
