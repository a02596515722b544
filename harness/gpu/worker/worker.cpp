#include "gpu/worker/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>

#include "gpu/worker/protocol.hpp"

namespace warpclock {
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
