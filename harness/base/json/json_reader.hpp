#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/json/json_writer.hpp"
#include "base/text.hpp"

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

/// The archive that fills described structs from foreign JSON. Keeps the first thing that is wrong, with its path
/// ("rows[3].samples[0].n"), and reads on without harm, but for what is left of lists.
class JsonReader {
 public:
  /// `exact`: a key that is not described is wrong too, and "nan", "inf" and "-inf" are numbers. Optional fields with
  /// the keys `without` are passed over, wherever they are; they outlive the reader.
  explicit JsonReader(bool exact = false, std::span<const std::string_view> without = {})
      : exact_(exact), without_(without) {}

  /// Null while nothing is wrong.
  [[nodiscard]] const std::string* problem() const { return problem_ ? &*problem_ : nullptr; }

  template <class T>
  void required(std::string_view key, T& field) {
    field_of(key, field, true);
  }
  template <class T>
  void optional(std::string_view key, T& field) {
    if (std::ranges::find(without_, key) == without_.end()) field_of(key, field, false);
  }

  /// Reads `value` as the element `key` ("device") of what is being read.
  template <class T>
  void read_at(std::string_view key, JsonElement value, T& out) {
    const Step step{key, 0, path_};
    path_ = &step;
    read(value, out);
    path_ = step.outer;
  }

  template <class T>
  void read(JsonElement value, T& out) {
    if constexpr (std::is_enum_v<T>) {
      read_word(value, out);
    } else if constexpr (requires { WrittenAs<T>::to(out); }) {
      decltype(WrittenAs<T>::to(out)) plain{};
      read(value, plain);
      if (const std::string_view wanted = WrittenAs<T>::from(plain, out); !wanted.empty()) fail(std::string(wanted));
    } else {
      if (!value.is_object()) return expected("an object", value);
      const simdjson::dom::object object = value;
      Open open{object, object.begin()};
      Open* const outer = std::exchange(current_, &open);
      describe(*this, out);
      current_ = outer;
      if (exact_ && open.known < object.size()) fail("a key is not known here, or is there twice");
    }
  }
  void read(JsonElement value, std::string& out);
  void read(JsonElement value, bool& out);
  void read(JsonElement value, int& out);
  void read(JsonElement value, std::int64_t& out);
  void read(JsonElement value, double& out);
  void read(JsonElement value, NamedScalars& out);
  void read(JsonElement value, std::map<std::string, double>& out);
  template <class T>
  void read(JsonElement value, std::optional<T>& out) {
    out.reset();
    if (!value.is_null()) read(value, out.emplace());
  }
  template <class T>
  void read(JsonElement value, std::vector<T>& out) {
    if (!value.is_array()) return expected("an array", value);
    out.clear();
    Step step{{}, 0, path_};
    path_ = &step;
    for (const JsonElement each : simdjson::dom::array(value)) {
      if (problem_) break;
      read(each, out.emplace_back());
      ++step.index;
    }
    path_ = step.outer;
  }

 private:
  /// An object that is being read. Its keys mostly have the order in which they are described.
  struct Open {
    simdjson::dom::object object;
    simdjson::dom::object::iterator next;
    std::size_t known = 0;  ///< keys that are described

    [[nodiscard]] std::optional<JsonElement> find(std::string_view key);
  };

  /// A step on the way to what is being read: a key, or if that has no characters, an index.
  struct Step {
    std::string_view key;
    std::size_t index = 0;
    const Step* outer = nullptr;
  };

  void fail(const std::string& what);
  void expected(std::string_view what, JsonElement value);

  template <class Enum>
  void read_word(JsonElement value, Enum& out) {
    std::string text;
    read(value, text);
    const auto& words = enum_words<Enum>;
    const auto found = std::ranges::find(words, text);
    if (found == words.end()) return fail(fmt::format("'{}' is none of: {}", text, fmt::join(words, ", ")));
    out = static_cast<Enum>(found - words.begin());
  }

  template <class T>
  void field_of(std::string_view key, T& field, bool must) {
    if (const auto found = current_->find(key)) {
      ++current_->known;
      read_at(key, *found, field);
    } else if (must) {
      fail(fmt::format("the key '{}' is missing", key));
    }
  }

  const bool exact_;
  const std::span<const std::string_view> without_;
  Open* current_ = nullptr;
  const Step* path_ = nullptr;  ///< the innermost
  std::optional<std::string> problem_;
};

}  // namespace warpclock
