#include "gpu/worker/serve.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "base/child.hpp"
#include "base/process.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/counters/counters_error.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/launch/runner.hpp"
#include "gpu/worker/protocol.hpp"
#include "gpu/worker/worker.hpp"

namespace warpclock {
namespace {

// _exit rather than exit: after a fault, or with a profiler attached, exit handlers of libraries may hang.
[[noreturn]] void leave(int status) { _exit(status); }

Expected<std::unique_ptr<Counters>> no_counters(CUctx_st* /*context*/) {
  return std::unexpected(counters_absent("switched off by --no-counters"));
}

}  // namespace

bool serve(std::istream& in, const std::function<void(const std::string&)>& write_line,
           const std::function<Expected<Observation>(const Job&)>& run, const std::function<void()>& stop_reading) {
  const auto begin_to_read = [&in] {
    return std::async(std::launch::async, [&in]() -> std::optional<Expected<Job>> {
      std::string line;
      if (!std::getline(in, line)) return std::nullopt;
      return parse_job(line);
    });
  };
  const auto give_up = [&](const Error& error) {
    write_line(to_line(FatalEvent{error}));
    stop_reading();  // the next job is waited for, and may never come
    return false;
  };
  auto next = begin_to_read();
  while (const auto job = next.get()) {
    if (!*job) return give_up(job->error());
    next = begin_to_read();
    auto observation = run(**job);
    if (observation) {
      write_line(to_line(ResultEvent{(*job)->id, std::move(*observation)}));
    } else if (observation.error().code == ErrorCode::Fault) {
      return give_up(observation.error());
    } else {
      write_line(to_line(ErrorEvent{(*job)->id, observation.error()}));
    }
  }
  return true;
}

int worker_main(bool counters) {
  // Ctrl-C reaches the whole process group, but the parent decides whether to stop.
  signal(SIGINT, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  const int channel = take_channel();
  if (channel < 0) return 1;
  const auto write_line = [channel](const std::string& line) {
    if (!write_fully(channel, line + '\n')) leave(1);
  };
  const auto give_up = [&](const Error& error) {
    write_line(to_line(FatalEvent{error}));
    leave(1);
  };

  std::ios::sync_with_stdio(false);  // otherwise each character of a job is a call
  // Before cuInit(), as when the program was linked with CUPTI. What is missing shows when counters are opened.
  if (counters) (void)counters_library_missing();
  const auto driver = load_driver();
  if (!driver) give_up(driver.error());
  const auto runner = Runner::open(*driver, counters ? &Counters::open : &no_counters);
  if (!runner) give_up(runner.error());
  write_line(to_line(HelloEvent{(*runner)->device(), (*runner)->counters_missing(), (*runner)->others(),
                                (*runner)->wait_us(), (*runner)->pause_us()}));
  const bool finished = serve(
      std::cin, write_line, [&](const Job& job) { return (*runner)->run(job); },
      [] { shutdown(STDIN_FILENO, SHUT_RD); });
  leave(finished ? 0 : 1);
}

}  // namespace warpclock
