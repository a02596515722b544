#include "gpu/worker/protocol.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <type_traits>

#include "gpu/worker/protocol_fields.hpp"

namespace warpclock {
namespace {

using nlohmann::json;

/// Calls f(key, field) for each field of a struct: what the protocol carries is always written.
template <class F>
struct EachField {
  F f;
  void required(const char* key, auto& field) { f(key, field); }
  void optional(const char* key, auto& field) { f(key, field); }
};

template <class T, class F>
void for_each_field(T& value, F f) {
  EachField<F> archive{f};
  describe(archive, value);
}

template <class T>
concept Struct = requires(T& value, EachField<void (*)(const char*, const int&)>& archive) {
  describe(archive, value);
};

const std::vector<std::string>& names_of(Fill) { return fill_names(); }
const std::vector<std::string>& names_of(Places) { return places_names(); }
const std::vector<std::string>& names_of(LaunchBy) { return launch_by_names(); }
const std::vector<std::string>& names_of(CallFill) { return call_fill_names(); }
const std::vector<std::string>& names_of(CallType) { return call_type_names(); }

template <class T>
json write(const T& value);

json write_value(bool value) { return value; }
json write_value(std::int64_t value) { return value; }
json write_value(int value) { return value; }
json write_value(const std::string& value) { return value; }
json write_value(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}
template <class V>
json write_value(const std::vector<V>& values) {
  json list = json::array();
  for (const auto& value : values) list.push_back(write(value));
  return list;
}
template <class V>
json write_value(const std::map<std::string, V>& values) {
  json object = json::object();
  for (const auto& [key, value] : values) object[key] = write(value);
  return object;
}

template <class T>
json write(const T& value) {
  if constexpr (Struct<const T>) {
    json object = json::object();
    for_each_field(value, [&](const char* key, const auto& member) { object[key] = write(member); });
    return object;
  } else if constexpr (std::is_enum_v<T>) {
    return names_of(value).at(static_cast<std::size_t>(value));
  } else {
    return write_value(value);
  }
}

// Thrown and caught only in this file, so that nested readers need not pass errors up by hand.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T>
void read(const json& in, T& value, const std::string& where);

[[noreturn]] void wanted(const std::string& where, const char* what) { throw Malformed(where + " is not " + what); }

void read_value(const json& in, bool& value, const std::string& where) {
  if (!in.is_boolean()) wanted(where, "a boolean");
  value = in.get<bool>();
}
void read_value(const json& in, std::int64_t& value, const std::string& where) {
  if (!in.is_number_integer()) wanted(where, "an integer");
  if (in.is_number_unsigned() && in.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
    wanted(where, "a 64-bit integer");
  }
  value = in.get<std::int64_t>();
}
void read_value(const json& in, int& value, const std::string& where) {
  std::int64_t wide = 0;
  read_value(in, wide, where);
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
    wanted(where, "a 32-bit integer");
  value = static_cast<int>(wide);
}
void read_value(const json& in, double& value, const std::string& where) {
  if (in.is_number()) {
    value = in.get<double>();
  } else if (in == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (in == "inf" || in == "-inf") {
    value = in == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  } else {
    wanted(where, "a number");
  }
}
void read_value(const json& in, std::string& value, const std::string& where) {
  if (!in.is_string()) wanted(where, "a string");
  value = in.get<std::string>();
}
/// The position of a word among `names`.
std::size_t read_word(const json& in, const std::vector<std::string>& names, const std::string& where) {
  std::string name;
  read_value(in, name, where);
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw Malformed(fmt::format("{} is '{}', none of: {}", where, name, fmt::join(names, ", ")));
  return static_cast<std::size_t>(found - names.begin());
}
template <class V>
void read_value(const json& in, std::vector<V>& values, const std::string& where) {
  if (!in.is_array()) wanted(where, "a list");
  values.resize(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) read(in[i], values[i], fmt::format("{}[{}]", where, i));
}
template <class V>
void read_value(const json& in, std::map<std::string, V>& values, const std::string& where) {
  if (!in.is_object()) wanted(where, "an object");
  for (const auto& [key, value] : in.items()) read(value, values[key], where + "." + key);
}

template <class T>
void read(const json& in, T& value, const std::string& where) {
  if constexpr (Struct<T>) {
    if (!in.is_object()) wanted(where, "an object");
    std::size_t known = 0;
    for_each_field(value, [&](const char* key, auto& member) {
      const auto found = in.find(key);
      if (found == in.end()) throw Malformed(fmt::format("{} lacks '{}'", where, key));
      read(*found, member, where + "." + key);
      ++known;
    });
    if (known != in.size()) throw Malformed(where + " has a key that is not known here");
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(read_word(in, names_of(value), where));
  } else {
    read_value(in, value, where);
  }
}

// nlohmann-json keeps the last of duplicate keys. The lines that we write have none, so such a line is rejected.
json parse_object(std::string_view line) {
  std::vector<std::set<std::string>> open;
  const auto reject_doubles = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second) {
      throw Malformed("the key '" + parsed.get<std::string>() + "' is there twice");
    }
    return true;
  };
  json object = json::parse(line, reject_doubles);
  if (!object.is_object()) throw Malformed("the line is not an object");
  return object;
}

template <class Read>
auto parse(std::string_view line, Read&& read_object) -> Expected<decltype(read_object(json()))> {
  try {
    return read_object(parse_object(line));
  } catch (const std::exception& e) {
    constexpr std::size_t shown = 120;
    return fail("protocol",
                fmt::format("{} in '{}{}'", e.what(), line.substr(0, shown), line.size() > shown ? "..." : ""));
  }
}

/// In the order of the variant.
const std::vector<std::string> event_names = {"hello", "result", "error", "fatal"};
const std::array<Event, 4> empty_events{HelloEvent{}, ResultEvent{}, ErrorEvent{}, FatalEvent{}};

std::string dump(const json& object) { return object.dump(-1, ' ', true, json::error_handler_t::replace); }

}  // namespace

std::string to_line(const Job& job) { return dump(write(job)); }

std::string to_line(const Event& event) {
  json object = std::visit([](const auto& e) { return write(e); }, event);
  object["event"] = event_names.at(event.index());
  return dump(object);
}

Expected<Job> parse_job(std::string_view line) {
  return parse(line, [](const json& object) {
    Job job;
    read(object, job, "job");
    return job;
  });
}

Expected<Event> parse_event(std::string_view line) {
  return parse(line, [](json object) {
    const auto name = object.find("event");
    if (name == object.end()) throw Malformed("the event lacks 'event'");
    Event event = empty_events.at(read_word(*name, event_names, "event"));
    object.erase(name);
    std::visit([&](auto& e) { read(object, e, "event"); }, event);
    return event;
  });
}

}  // namespace warpclock
