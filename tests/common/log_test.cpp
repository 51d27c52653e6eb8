// SPDX-License-Identifier: Apache-2.0
#include "common/log.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>

#include "common/clock.h"
#include "common/unique_handle.h"

namespace pilotlight {

namespace {

using namespace std::chrono_literals;

/// Runs in a child whose standard error is a pipe; true if it ended well within the limit, whatever was read
/// by then.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    BOOST_REQUIRE_EQUAL(::pipe2(ends.data(), O_CLOEXEC), 0);
    reader.reset(ends[0]);
    writer.reset(ends[1]);
  }
  UniqueFd reader;
  UniqueFd writer;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(logging)

BOOST_AUTO_TEST_CASE(lines_are_written_with_program_and_severity) {
  Pipe pipe;
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(pipe.writer.get(), STDERR_FILENO);
    start_log("program", Severity::info);
    log(Severity::debug, "hidden");
    log(Severity::info, "first");
    log(Severity::error, "second");
    drain_log(5s);
    ::_exit(0);
  }
  pipe.writer.reset();
  std::string text;
  std::array<char, 4096> chunk{};
  for (ssize_t got = 0; (got = ::read(pipe.reader.get(), chunk.data(), chunk.size())) > 0;)
    text.append(chunk.data(), static_cast<std::size_t>(got));
  ::waitpid(pid, nullptr, 0);
  BOOST_TEST(text == "program: info: first\nprogram: error: second\n");
}

BOOST_AUTO_TEST_CASE(a_reader_that_never_reads_holds_nobody_up) {
  const Pipe pipe;
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(pipe.writer.get(), STDERR_FILENO);
    start_log("program", Severity::info);
    for (int i = 0; i < 100'000; ++i) log(Severity::info, std::string(200, 'x'));
    drain_log(200ms);
    ::_exit(0);
  }
  const auto deadline = MonotonicClock::now() + 30s;
  int status = -1;
  pid_t ended = 0;
  while (ended == 0 && MonotonicClock::now() < deadline) {
    ended = ::waitpid(pid, &status, WNOHANG);
    ::usleep(10'000);
  }
  BOOST_TEST(ended == pid);
  BOOST_TEST(status == 0);
  if (ended == 0) ::kill(pid, SIGKILL);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pilotlight
