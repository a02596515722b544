#include "gpu/worker.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

#include "gpu/protocol.hpp"
#include "gpu/try.hpp"

namespace warpclock {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds default_case_timeout{10'000};
constexpr milliseconds pause_between_tries{250};
constexpr milliseconds time_to_exit{2'000};  // for a worker that said that it ends

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
    const auto timeout = case_timeout_from_environment();
    if (!timeout) return std::unexpected(timeout.error());
    options.case_timeout = *timeout;
  }
  Worker worker(std::move(options));
  WARPCLOCK_TRY(worker.spawn());
  return worker;
}

// What a conversation that broke off means; the child is gone afterwards.
Error Worker::give_up_on_child(const Error& why, milliseconds timeout) {
  const bool ended_itself = why.code == "closed";
  const std::string how = child_->end(ended_itself ? time_to_exit : milliseconds(0));
  std::string words = child_->last_words();
  if (!words.empty()) words = "; it last wrote: " + words;
  child_.reset();
  if (why.code == "timeout") {
    return {"watchdog", fmt::format("no answer in {}: the worker was killed{}", seconds(timeout), words), {}};
  }
  if (ended_itself) return {"worker-died", fmt::format("the worker process {}{}", how, words), {}};
  return {why.code, fmt::format("{}; the worker was killed{}", why.text, words), {}};
}

Expected<void> Worker::spawn() {
  const bool self = options_.command.empty();
  auto child = self ? Child::start("/proc/self/exe", {"warpclock", "worker"})
                    : Child::start(options_.command.front(), options_.command);
  if (!child) return std::unexpected(child.error());
  child_ = std::move(*child);
  const auto line = child_->receive(in(options_.start_timeout));
  if (!line) return std::unexpected(give_up_on_child(line.error(), options_.start_timeout));
  auto event = parse_event(*line);
  if (!event) return std::unexpected(give_up_on_child(event.error(), options_.start_timeout));
  if (auto* hello = std::get_if<HelloEvent>(&*event)) {
    device_ = std::move(hello->device);
    counters_ = std::move(hello->counters);
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
      lost_ = Error{
          "device-lost", fmt::format("no new worker in {}: {}", seconds(options_.retry_for), started.error().text), {}};
      return std::unexpected(*lost_);
    }
    std::this_thread::sleep_for(pause_between_tries);
  }
}

Expected<Observation> Worker::run(const Job& job) {
  if (lost_) return std::unexpected(*lost_);
  // A worker that died while it had nothing to do takes no case with it.
  if (!child_ || !child_->running()) WARPCLOCK_TRY(respawn());
  return converse(job);
}

Expected<Observation> Worker::converse(const Job& job) {
  const auto deadline = in(options_.case_timeout);
  const auto give_up = [&](const Error& why) { return std::unexpected(give_up_on_child(why, options_.case_timeout)); };
  if (auto sent = child_->send(to_line(job), deadline); !sent) return give_up(sent.error());
  const auto line = child_->receive(deadline);
  if (!line) return give_up(line.error());
  auto event = parse_event(*line);
  if (!event) return give_up(event.error());
  if (auto* result = std::get_if<ResultEvent>(&*event); result != nullptr && result->id == job.id) {
    return std::move(result->observation);
  }
  if (auto* error = std::get_if<ErrorEvent>(&*event); error != nullptr && error->id == job.id) {
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
