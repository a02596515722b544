#include "gpu/worker/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <set>
#include <stdexcept>

#include "base/json/json_reader.hpp"
#include "base/json/json_writer.hpp"
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

void name_what_json_lacks(Json& value) {
  if (value.is_structured()) {
    for (Json& each : value) name_what_json_lacks(each);
  } else if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    value = std::isnan(value.get<double>()) ? "nan" : fmt::format("{}", value.get<double>());
  }
}

std::string line_of(Json object) {
  name_what_json_lacks(object);
  return object.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// nlohmann-json keeps the last of duplicate keys. The lines that we write have none, so such a line is rejected.
Expected<Json> parse_object(std::string_view line) {
  std::vector<std::set<std::string>> open;
  const auto reject_doubles = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second) {
      throw std::runtime_error("the key '" + parsed.get<std::string>() + "' is there twice");
    }
    return true;
  };
  try {
    Json object = Json::parse(line, reject_doubles);
    if (!object.is_object()) return refuse(line, "the line is not an object");
    return object;
  } catch (const std::exception& error) {
    return refuse(line, error.what());
  }
}

/// Fills `value` from an object that is called `name` in messages.
Expected<void> read(std::string_view line, const Json& object, const std::string& name, auto& value) {
  JsonReader reader(true);
  reader.read_at(name, object, value);
  if (reader.problem()) return refuse(line, *reader.problem());
  return {};
}

}  // namespace

std::string to_line(const Job& job) { return line_of(JsonWriter::write(job)); }

std::string to_line(const Event& event) {
  Json object = std::visit([](const auto& e) { return JsonWriter::write(e); }, event);
  object["event"] = event_names.at(event.index());
  return line_of(std::move(object));
}

Expected<Job> parse_job(std::string_view line) {
  const Json object = WARPCLOCK_TRY(parse_object(line));
  Job job;
  WARPCLOCK_TRY(read(line, object, "job", job));
  return job;
}

Expected<Event> parse_event(std::string_view line) {
  Json object = WARPCLOCK_TRY(parse_object(line));
  const auto given = object.find("event");
  const bool named = given != object.end() && given->is_string();
  const auto name = std::ranges::find(event_names, named ? given->get<std::string>() : "");
  if (name == event_names.end()) return refuse(line, "'event' is not one of: hello, result, error, fatal");
  object.erase("event");
  Event event = empty_events.at(static_cast<std::size_t>(name - event_names.begin()));
  WARPCLOCK_TRY(std::visit([&](auto& e) { return read(line, object, "event", e); }, event));
  return event;
}

}  // namespace warpclock
