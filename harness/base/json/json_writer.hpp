#pragma once

#include "base/json/json_line.hpp"
#include "base/json/json_text.hpp"

namespace warpclock {

/// Turns described structs into JSON that can still be changed.
struct JsonWriter {
  template <class T>
  [[nodiscard]] static Json write(const T& value) {
    return json_of(JsonLine::of(value));
  }
};

}  // namespace warpclock
