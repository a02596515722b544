#pragma once

#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/json/json_text.hpp"

namespace warpclock::packed {

using Keys = std::initializer_list<const char*>;

struct Damaged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline std::size_t whole(const Json& value) {
  if (!value.is_number_unsigned()) throw Damaged("an index or a count is no whole number");
  return value.get<std::size_t>();
}

/// [value, value, ...] by these keys.
inline Json named(Keys keys, const Json& values) {
  Json out = Json::object();
  std::size_t i = 0;
  for (const char* key : keys) out[key] = values.at(i++);
  return out;
}

using NewNames = std::initializer_list<std::pair<const char*, const char*>>;

/// The values of optional keys under new names.
inline void rename(NewNames names, const Json& from, Json& to) {
  for (const auto& [before, now] : names)
    if (from.contains(before)) to[now] = from.at(before);
}

inline void copy(Keys keys, const Json& from, Json& to) {
  for (const char* key : keys) rename({{key, key}}, from, to);
}

/// The elements of an optional list.
inline const Json& each_of(const Json& object, const char* key) {
  static const Json none = Json::array();
  return object.contains(key) ? object.at(key) : none;
}

/// What rows of schema 2 (of machine.json: 1) share is stated once, in lists before the rows, and they mean it by its
/// index.
class PackedPools {
 public:
  explicit PackedPools(const Json& file) : file_(file) {}

  void spend(std::size_t pieces) {
    constexpr std::size_t most = 10'000'000;
    spent_ += pieces;
    if (pieces > most || spent_ > most) throw Damaged("more than a record can hold");
  }
  /// What `index` means in the list `pool`.
  const Json& shared(const char* pool, const Json& index) {
    const Json& found = file_.at(pool).at(whole(index));
    spend(1 + (found.is_string() ? found.get_ref<const std::string&>().size() / 16 : found.size()));
    return found;
  }
  void share(Keys keys, const char* pool, const Json& from, Json& to) {
    for (const char* key : keys)
      if (from.contains(key)) to[key] = shared(pool, from.at(key));
  }
  Json mix(const Json& index) {
    const Json& packed = shared("mixes", index);
    Json out = Json::array();
    for (std::size_t i = 0; i + 1 < packed.size(); i += 2)
      out.push_back({{"opcode", shared("opcodes", packed.at(i))}, {"count", packed.at(i + 1)}});
    return out;
  }
  /// [3, [16, 4, 5], 6]: the third, sixteen times the fourth and the fifth, the sixth.
  Json lines(const char* pool, const Json& packed) {
    Json out = Json::array();
    for (const Json& each : packed) {
      if (!each.is_array()) {
        out.push_back(line(pool, each));
        continue;
      }
      if (each.size() < 2) throw Damaged("no lines are repeated");
      spend(whole(each.at(0)));
      for (std::size_t times = whole(each.at(0)); times > 0; --times)
        for (std::size_t i = 1; i < each.size(); ++i) out.push_back(line(pool, each.at(i)));
    }
    return out;
  }
  Json estimate(const Json& packed) {
    const Json& kind = shared("kinds", packed.at(0));
    Json out = {{"name", kind.at(0)}, {"value", packed.at(1)}, {"unit", kind.at(1)}, {"method", kind.at(2)}};
    out["n"] = kind.at(3);
    out["low"] = packed.at(packed.size() > 2 ? 2 : 1);
    out["high"] = packed.at(packed.size() > 2 ? 3 : 1);
    if (packed.size() > 4) out["note"] = shared("texts", packed.at(4));
    if (kind.size() > 4) out["note"] = kind.at(4);
    return out;
  }
  Json pairs(const char* pool, const Json& packed) {
    Json out = Json::object();
    for (std::size_t i = 0; i < packed.size(); i += 2)
      out[shared(pool, packed.at(i)).get<std::string>()] = packed.at(i + 1);
    return out;
  }
  static Json clock(const Json& row) {
    const Json& packed = each_of(row, "clock");
    Json out = Json::object();
    if (!packed.empty()) out = named({"sm_mhz", "memory_mhz", "power_w", "temperature_c"}, packed);
    for (std::size_t i = 4; i < packed.size(); ++i) out["throttle"].push_back(packed.at(i));
    if (row.contains("sharing")) out.update(named({"wait_us", "pause_us", "others"}, row.at("sharing")));
    return out;
  }

 private:
  Json line(const char* pool, const Json& index) {
    const Json& found = shared(pool, index);
    if (!found.is_array()) return found;
    const auto& control = shared("controls", found.at(0)).get_ref<const std::string&>();
    return control.empty() ? found.at(1) : Json(control + "  " + found.at(1).get<std::string>());
  }

  const Json& file_;
  std::size_t spent_ = 0;
};

}  // namespace warpclock::packed
