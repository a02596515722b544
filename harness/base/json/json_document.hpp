#pragma once

#include <simdjson.h>

#include <memory>
#include <string_view>

#include "base/error.hpp"

namespace warpclock {

using JsonElement = simdjson::dom::element;

/// JSON text, parsed for reading. It owns what its elements refer to.
class JsonDocument {
 public:
  /// Error "json"; the text says in which line and column, if it has at most 64 MiB.
  [[nodiscard]] static Expected<JsonDocument> parse(std::string_view text);

  [[nodiscard]] JsonElement root() const { return parser_->doc.root(); }

 private:
  std::unique_ptr<simdjson::dom::parser> parser_ = std::make_unique<simdjson::dom::parser>();
};

/// What an element is, as messages name it: "array", "number".
[[nodiscard]] std::string_view type_name(JsonElement element);

}  // namespace warpclock
