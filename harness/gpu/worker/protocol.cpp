#include "gpu/worker/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "base/json/json_reader.hpp"
#include "base/json/json_writer.hpp"
#include "base/text.hpp"
#include "gpu/device/fields.hpp"

namespace warpclock {

// The JSON keys of what only the protocol carries, and the words of its enumerations.

template <>
const std::vector<std::string>& enum_words<Fill> = fill_names();

template <>
const std::vector<std::string>& enum_words<Places> = places_names();

template <>
const std::vector<std::string>& enum_words<LaunchBy> = launch_by_names();

template <>
const std::vector<std::string>& enum_words<CallFill> = call_fill_names();

template <>
const std::vector<std::string>& enum_words<CallType> = call_type_names();

void describe(auto& a, Like<Launch> auto& v) {
  WARPCLOCK_REQUIRED(blocks, blocks_per_sm, warps, cluster, shared_bytes, carveout, persisting, hit_ratio, warmups,
                     launches, by);
}

void describe(auto& a, Like<Tensor> auto& v) {
  WARPCLOCK_REQUIRED(type, dims, box, swizzle, interleave, promotion, oob, lower, upper, channels, pixels);
}

void describe(auto& a, Like<Data> auto& v) { WARPCLOCK_REQUIRED(bytes, fill, stride, cold, peer, tensor, texel); }

void describe(auto& a, Like<JobKernel> auto& v) {
  WARPCLOCK_REQUIRED(n, symbol, steps);
  WARPCLOCK_OPTIONAL(warps, cubin_path, further_passes, blocks_per_sm, at, launches,
                     part);  // jobs have thousands of kernels
}

void describe(auto& a, Like<CallArgument> auto& v) { WARPCLOCK_REQUIRED(bytes, type, fill, value); }

void describe(auto& a, Like<LibraryGemm> auto& v) { WARPCLOCK_REQUIRED(m, n, k); }

void describe(auto& a, Like<Call> auto& v) {
  WARPCLOCK_REQUIRED(symbol, grid, block, shared_bytes, cold, launches, arguments, library);
}

void describe(auto& a, Like<JobContents> auto& v) { WARPCLOCK_REQUIRED(from, to, begin, end, constants); }

void describe(auto& a, Like<Job> auto& v) {
  WARPCLOCK_REQUIRED(id, cubin_path, kernels, launch, data, at, facts, places, longest, energy, counters, at_once, once,
                     at_step, timed, prepared, counted_together, counted_with, call);
  WARPCLOCK_OPTIONAL(ptx_path, contents);
}

void describe(auto& a, Like<LibraryTimes> auto& v) { WARPCLOCK_REQUIRED(version, us, missing); }

void describe(auto& a, Like<Observation> auto& v) {
  WARPCLOCK_REQUIRED(samples, facts, places, digests, counters, counted, counters_missing, clock, call_us, empty_us,
                     library);
  WARPCLOCK_OPTIONAL(jit_us, load_us, timer, board_w);
}

void describe(auto& a, Like<HelloEvent> auto& v) {
  WARPCLOCK_REQUIRED(device, counters_missing, others, wait_us, pause_us);
}

void describe(auto& a, Like<ResultEvent> auto& v) { WARPCLOCK_REQUIRED(id, observation); }

void describe(auto& a, Like<ErrorEvent> auto& v) { WARPCLOCK_REQUIRED(id, error); }

void describe(auto& a, Like<FatalEvent> auto& v) { WARPCLOCK_REQUIRED(error); }

namespace {

/// In the order of the variant.
constexpr std::array<std::string_view, 4> event_names = {"hello", "result", "error", "fatal"};
const std::array<Event, 4> empty_events{HelloEvent{}, ResultEvent{}, ErrorEvent{}, FatalEvent{}};

std::unexpected<Error> refuse(std::string_view line, std::string_view why) {
  constexpr std::size_t shown = 120;
  return fail("protocol", fmt::format("{} in '{}{}'", why, line.substr(0, shown), line.size() > shown ? "..." : ""));
}

Expected<JsonDocument> parse_object(std::string_view line) {
  auto document = JsonDocument::parse(line);
  if (!document) return refuse(line, document.error().text);
  if (!document->root().is_object()) return refuse(line, "the line is not an object");
  return document;
}

/// An event with its name.
template <class E>
struct Named {
  std::string event;
  E what;
};

template <class Archive, class T>
requires Like<T, Named<decltype(T::what)>>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(event);
  describe(a, v.what);
}

/// Fills `value` from an object that is called `name` in messages. The reader counts the keys, so it refuses one that
/// is there twice.
Expected<void> read(std::string_view line, JsonElement object, std::string_view name, auto& value) {
  JsonReader reader(true);
  reader.read_at(name, object, value);
  if (reader.problem()) return refuse(line, *reader.problem());
  return {};
}

}  // namespace

std::string to_line(const Job& job) { return JsonLine::of(job, true); }

std::string to_line(const Event& event) {
  return std::visit(
      [&](const auto& e) {
        return JsonLine::of(Named<std::remove_cvref_t<decltype(e)>>{std::string(event_names.at(event.index())), e},
                            true);
      },
      event);
}

Expected<Job> parse_job(std::string_view line) {
  const JsonDocument document = WARPCLOCK_TRY(parse_object(line));
  Job job;
  WARPCLOCK_TRY(read(line, document.root(), "job", job));
  return job;
}

Expected<Event> parse_event(std::string_view line) {
  const JsonDocument document = WARPCLOCK_TRY(parse_object(line));
  std::string_view given;
  const bool named = document.root().at_key("event").get(given) == simdjson::SUCCESS;
  const auto name = std::ranges::find(event_names, given);
  if (!named || name == event_names.end()) return refuse(line, "'event' is not one of: hello, result, error, fatal");
  return std::visit(
      [&]<class E>(const E&) -> Expected<Event> {
        Named<E> event;
        WARPCLOCK_TRY(read(line, document.root(), "event", event));
        return Event(std::move(event.what));
      },
      empty_events.at(static_cast<std::size_t>(name - event_names.begin())));
}

}  // namespace warpclock
