#include "gpu/worker/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "gpu/device/fields.hpp"

namespace warpclock {
namespace {

using nlohmann::json;

// Writing and reading share one list of fields per struct: `fields(x, f)` calls f(key, member) for each.
template <class S, class F>
void fields(S& launch, F&& f) requires std::is_same_v<std::remove_const_t<S>, Launch> {
  f("blocks", launch.blocks);
  f("blocks_per_sm", launch.blocks_per_sm);
  f("warps", launch.warps);
  f("cluster", launch.cluster);
  f("shared_bytes", launch.shared_bytes);
  f("carveout", launch.carveout);
  f("persisting", launch.persisting);
  f("hit_ratio", launch.hit_ratio);
  f("warmups", launch.warmups);
  f("launches", launch.launches);
  f("by", launch.by);
}

template <class S, class F>
void fields(S& tensor, F&& f) requires std::is_same_v<std::remove_const_t<S>, Tensor> {
  f("type", tensor.type);
  f("dims", tensor.dims);
  f("box", tensor.box);
  f("swizzle", tensor.swizzle);
  f("interleave", tensor.interleave);
  f("promotion", tensor.promotion);
  f("oob", tensor.oob);
  f("lower", tensor.lower);
  f("upper", tensor.upper);
  f("channels", tensor.channels);
  f("pixels", tensor.pixels);
}

template <class S, class F>
void fields(S& data, F&& f) requires std::is_same_v<std::remove_const_t<S>, Data> {
  f("bytes", data.bytes);
  f("fill", data.fill);
  f("stride", data.stride);
  f("cold", data.cold);
  f("peer", data.peer);
  f("tensor", data.tensor);
  f("texel", data.texel);
}

template <class S, class F>
void fields(S& kernel, F&& f) requires std::is_same_v<std::remove_const_t<S>, JobKernel> {
  f("n", kernel.n);
  f("symbol", kernel.symbol);
  f("warps", kernel.warps);
  f("cubin_path", kernel.cubin_path);
  f("further_passes", kernel.further_passes);
  f("blocks_per_sm", kernel.blocks_per_sm);
  f("at", kernel.at);
  f("steps", kernel.steps);
}

template <class S, class F>
void fields(S& job, F&& f) requires std::is_same_v<std::remove_const_t<S>, Job> {
  f("id", job.id);
  f("cubin_path", job.cubin_path);
  f("kernels", job.kernels);
  f("launch", job.launch);
  f("data", job.data);
  f("at", job.at);
  f("facts", job.facts);
  f("places", job.places);
  f("counters", job.counters);
  f("at_once", job.at_once);
  f("once", job.once);
  f("at_step", job.at_step);
  f("timed", job.timed);
  f("prepared", job.prepared);
  f("counted_together", job.counted_together);
  f("beside", job.beside);
}

template <class S, class F>
void fields(S& observation, F&& f) requires std::is_same_v<std::remove_const_t<S>, Observation> {
  f("samples", observation.samples);
  f("facts", observation.facts);
  f("places", observation.places);
  f("digests", observation.digests);
  f("counters", observation.counters);
  f("counted", observation.counted);
  f("counters_missing", observation.counters_missing);
  f("clock", observation.clock);
}

/// The archive of what a record has too.
template <class F>
struct EachField {
  F& f;
  void required(const char* key, auto& field) { f(key, field); }
  void optional(const char* key, auto& field) { f(key, field); }
};

template <class S, class F>
void fields(S& recorded,
            F&& f) requires Like<S, DeviceFacts> || Like<S, Series> || Like<S, ClockReading> || Like<S, Error> {
  EachField<F> archive{f};
  describe(archive, recorded);
}

template <class T>
concept Struct = requires(T& t) {
  fields(t, [](const char*, auto&) {});
};

template <class T>
json write(const T& value);

template <class T>
json write_list(const T& values) {
  json list = json::array();
  for (const auto& value : values) list.push_back(write(value));
  return list;
}

json write_value(bool value) { return value; }
json write_value(std::int64_t value) { return value; }
json write_value(int value) { return value; }
json write_value(const std::string& value) { return value; }
json write_value(Fill value) { return fill_names().at(static_cast<std::size_t>(value)); }
json write_value(Places value) { return places_names().at(static_cast<std::size_t>(value)); }
json write_value(LaunchBy value) { return launch_by_names().at(static_cast<std::size_t>(value)); }
json write_value(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}
template <class V>
json write_value(const std::vector<V>& values) {
  return write_list(values);
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
    fields(value, [&](const char* key, const auto& member) { object[key] = write(member); });
    return object;
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
template <class E>
void read_word(const json& in, E& value, const std::vector<std::string>& names, const std::string& where,
               const char* what) {
  std::string name;
  read_value(in, name, where);
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) wanted(where, what);
  value = static_cast<E>(found - names.begin());
}
void read_value(const json& in, Fill& value, const std::string& where) {
  read_word(in, value, fill_names(), where, "a fill");
}
void read_value(const json& in, Places& value, const std::string& where) {
  read_word(in, value, places_names(), where, "a word for places");
}
void read_value(const json& in, LaunchBy& value, const std::string& where) {
  read_word(in, value, launch_by_names(), where, "a way to launch");
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
    fields(value, [&](const char* key, auto& member) {
      const auto found = in.find(key);
      if (found == in.end()) throw Malformed(fmt::format("{} lacks '{}'", where, key));
      read(*found, member, where + "." + key);
      ++known;
    });
    if (known != in.size()) throw Malformed(where + " has a key that is not known here");
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
      throw Malformed("the key '" + parsed.get<std::string>() + "' stands twice");
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

std::string dump(const json& object) { return object.dump(-1, ' ', true, json::error_handler_t::replace); }

}  // namespace

std::string to_line(const Job& job) { return dump(write(job)); }

std::string to_line(const Event& event) {
  struct Writer {
    json operator()(const HelloEvent& e) const {
      return {{"event", "hello"},
              {"device", write(e.device)},
              {"counters_missing", e.counters_missing},
              {"others", write(e.others)},
              {"wait_us", write(e.wait_us)}};
    }
    json operator()(const ResultEvent& e) const {
      return {{"event", "result"}, {"id", e.id}, {"observation", write(e.observation)}};
    }
    json operator()(const ErrorEvent& e) const { return {{"event", "error"}, {"id", e.id}, {"error", write(e.error)}}; }
    json operator()(const FatalEvent& e) const { return {{"event", "fatal"}, {"error", write(e.error)}}; }
  };
  return dump(std::visit(Writer{}, event));
}

Expected<Job> parse_job(std::string_view line) {
  return parse(line, [](const json& object) {
    Job job;
    read(object, job, "job");
    return job;
  });
}

Expected<Event> parse_event(std::string_view line) {
  return parse(line, [](const json& object) -> Event {
    const auto member = [&](const char* key, auto& value) {
      if (!object.contains(key)) throw Malformed(fmt::format("the event lacks '{}'", key));
      read(object.at(key), value, key);
    };
    const auto keys = [&](std::size_t count) {
      if (object.size() != count) throw Malformed("the event has a key that is not known here");
    };
    std::string kind;
    member("event", kind);
    if (kind == "hello") {
      HelloEvent event;
      member("device", event.device);
      member("counters_missing", event.counters_missing);
      member("others", event.others);
      member("wait_us", event.wait_us);
      keys(5);
      return event;
    }
    if (kind == "result") {
      ResultEvent event;
      member("id", event.id);
      member("observation", event.observation);
      keys(3);
      return event;
    }
    if (kind == "error") {
      ErrorEvent event;
      member("id", event.id);
      member("error", event.error);
      keys(3);
      return event;
    }
    if (kind == "fatal") {
      FatalEvent event;
      member("error", event.error);
      keys(2);
      return event;
    }
    throw Malformed("'" + kind + "' is no event");
  });
}

}  // namespace warpclock
