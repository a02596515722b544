#include "gpu/worker/worker.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include "gpu/counters/counters.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/launch/runner.hpp"
#include "gpu/worker/protocol.hpp"

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

int worker_main(bool counters, int sms) {
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
  const auto runner = Runner::open(*driver, counters ? &Counters::open : &no_counters, load_cublas, {}, sms);
  if (!runner) give_up(runner.error());
  write_line(to_line(HelloEvent{(*runner)->device(), (*runner)->counters_missing(), (*runner)->others(),
                                (*runner)->wait_us(), (*runner)->pause_us()}));
  const bool finished = serve(
      std::cin, write_line, [&](const Job& job) { return (*runner)->run(job); },
      [] { shutdown(STDIN_FILENO, SHUT_RD); });
  leave(finished ? 0 : 1);
}

namespace {

using std::chrono::milliseconds;

constexpr milliseconds default_case_timeout{10'000};
constexpr milliseconds pause_between_tries{250};
// What the socket can certainly hold while the worker reads nothing (Child::start() asks for as much). With more, both
// sides could wait for the other to read.
constexpr std::size_t most_ahead_bytes{child_buffer_bytes};
constexpr milliseconds time_to_exit{2'000};  // for a worker that announced its end

Expected<milliseconds> case_timeout_from_environment() {
  const char* text = std::getenv("WARPCLOCK_WATCHDOG_S");
  if (text == nullptr || *text == '\0') return default_case_timeout;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (*end != '\0' || !(seconds >= 0.001 && seconds <= 86400)) {
    return fail("usage", fmt::format("WARPCLOCK_WATCHDOG_S is '{}'; it must be a number of seconds up to 86400", text));
  }
  return milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

Child::Deadline in(milliseconds time) { return std::chrono::steady_clock::now() + time; }

std::string seconds(milliseconds time) { return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000); }

}  // namespace

Expected<Worker> Worker::start(WorkerOptions options) {
  if (options.case_timeout.count() <= 0) {
    options.case_timeout = WARPCLOCK_TRY(case_timeout_from_environment());
  }
  Worker worker(std::move(options));
  WARPCLOCK_TRY(worker.spawn());
  if (auto watch = worker.options_.watch(worker.device_.pci)) worker.watch_ = std::move(*watch);
  return worker;
}

// Interprets a broken conversation and ends the child.
Error Worker::give_up_on_child(const Error& why, milliseconds timeout) {
  const bool ended_itself = why.code == ErrorCode::Closed;
  const std::string how = child_->end(ended_itself ? time_to_exit : milliseconds(0));
  std::string words = child_->last_words();
  if (!words.empty()) words = "; it last wrote: " + words;
  child_.reset();
  if (why.code == ErrorCode::Timeout) {
    return {"watchdog", fmt::format("no answer in {}: the worker was killed{}", seconds(timeout), words), {}};
  }
  if (ended_itself) return {"worker-died", fmt::format("the worker process {}{}", how, words), {}};
  return {why.code, fmt::format("{}; the worker was killed{}", why.text, words), {}};
}

Expected<void> Worker::spawn() {
  const bool self = options_.command.empty();
  std::vector<std::string> command = self ? std::vector<std::string>{"warpclock", "worker"} : options_.command;
  if (!options_.counters) command.emplace_back("--no-counters");
  if (options_.sms > 0) command.insert(command.end(), {"--sms", std::to_string(options_.sms)});
  child_ = WARPCLOCK_TRY(Child::start(self ? "/proc/self/exe" : command.front(), command));
  const auto line = child_->receive(in(options_.start_timeout));
  if (!line) return std::unexpected(give_up_on_child(line.error(), options_.start_timeout));
  auto event = parse_event(*line);
  if (!event) return std::unexpected(give_up_on_child(event.error(), options_.start_timeout));
  if (auto* hello = std::get_if<HelloEvent>(&*event)) {
    device_ = std::move(hello->device);
    counters_missing_ = std::move(hello->counters_missing);
    others_ = std::move(hello->others);
    wait_us_ = hello->wait_us;
    pause_us_ = hello->pause_us;
    return {};
  }
  if (auto* fatal = std::get_if<FatalEvent>(&*event)) {
    child_->end(time_to_exit);
    child_.reset();
    return std::unexpected(std::move(fatal->error));
  }
  return std::unexpected(
      give_up_on_child({"protocol", "the worker did not begin with its greeting", {}}, options_.start_timeout));
}

Expected<void> Worker::respawn() {
  child_.reset();
  for (const auto until = in(options_.retry_for);;) {
    const auto started = spawn();
    if (started) return {};
    if (std::chrono::steady_clock::now() + pause_between_tries >= until) {
      lost_ = fail(ErrorCode::DeviceLost,
                   fmt::format("no new worker in {}: {}", seconds(options_.retry_for), started.error().text))
                  .error();
      return std::unexpected(*lost_);
    }
    std::this_thread::sleep_for(pause_between_tries);
  }
}

Expected<Observation> Worker::run(const Job& job) {
  if (!posted_.empty()) return fail("protocol", "a job is run while others were posted and not taken");
  post(job);
  return take();
}

// The first job in line is sent when take() is called, and the next ones as soon as the first has been sent.
void Worker::post(const Job& job) {
  posted_.push_back({job.id, to_line(job)});
  if (posted_.front().sent) send_ahead();
}

// A failure to send is reported by the job in front.
void Worker::send_ahead() {
  std::size_t bytes = 0;
  for (Posted& next : posted_) {
    bytes += next.line.size();
    if (!child_ || bytes > most_ahead_bytes) return;
    if (!next.sent) next.sent = child_->send(next.line, in(options_.case_timeout)).has_value();
    if (!next.sent) return;
  }
}

Expected<Observation> Worker::take() {
  if (posted_.empty()) return fail("protocol", "no job was posted");
  // Whatever happens to it, it is no longer in line.
  Posted front = std::move(posted_.front());
  posted_.pop_front();
  if (lost_) return std::unexpected(*lost_);
  // A worker that died while idle must not fail the next case.
  if (!child_ || (!front.sent && !child_->running())) {
    WARPCLOCK_TRY(respawn());
    front.sent = false;
    for (Posted& next : posted_) next.sent = false;
  }
  const auto deadline = in(options_.case_timeout);
  if (!front.sent) {
    if (auto sent = child_->send(front.line, deadline); !sent) {
      return std::unexpected(give_up_on_child(sent.error(), options_.case_timeout));
    }
  }
  send_ahead();
  return answer(front.id, deadline);
}

Expected<Observation> Worker::answer(const std::string& id, Child::Deadline deadline) {
  const auto give_up = [&](const Error& why) { return std::unexpected(give_up_on_child(why, options_.case_timeout)); };
  const auto line = child_->receive(deadline);
  if (!line) return give_up(line.error());
  auto event = parse_event(*line);
  if (!event) return give_up(event.error());
  if (auto* result = std::get_if<ResultEvent>(&*event); result != nullptr && result->id == id) {
    if (result->observation.timer.seconds > 0) timer_ = result->observation.timer;
    most_power_w_ = std::max(most_power_w_, result->observation.board_w);
    return std::move(result->observation);
  }
  if (auto* error = std::get_if<ErrorEvent>(&*event); error != nullptr && error->id == id) {
    return std::unexpected(std::move(error->error));
  }
  if (auto* fatal = std::get_if<FatalEvent>(&*event)) {
    child_->end(time_to_exit);
    child_.reset();
    return std::unexpected(std::move(fatal->error));
  }
  return give_up({"protocol", "the worker answered something else than it was asked", {}});
}

}  // namespace warpclock
