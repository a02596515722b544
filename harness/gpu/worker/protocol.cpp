#include "gpu/worker/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "base/json/json_line.hpp"
#include "base/json/json_reader.hpp"
#include "gpu/worker/protocol_fields.hpp"

namespace warpclock {
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
