#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/json/described.hpp"
#include "base/json/json_text.hpp"
#include "base/words.hpp"

namespace warpclock {

/// The archive that fills described structs from foreign JSON. Keeps the first thing that is wrong, with its path
/// ("rows[3].samples[0].n"), and reads on without harm, but for what is left of lists.
class JsonReader {
 public:
  /// `exact`: a key that is not described is wrong too, and "nan", "inf" and "-inf" are numbers.
  explicit JsonReader(bool exact = false) : exact_(exact) {}

  /// Null while nothing is wrong.
  [[nodiscard]] const std::string* problem() const { return problem_ ? &*problem_ : nullptr; }

  template <class T>
  void required(const char* key, T& field) {
    field_of(key, field, true);
  }
  template <class T>
  void optional(const char* key, T& field) {
    field_of(key, field, false);
  }

  /// Reads `value` as the element `key` ("rows[3]") of what is being read.
  template <class T>
  void read_at(const std::string& key, const Json& value, T& out) {
    const std::size_t length = path_.size();
    if (!path_.empty() && !key.starts_with('[')) path_ += '.';
    path_ += key;
    read(value, out);
    path_.resize(length);
  }

  template <class T>
  void read(const Json& value, T& out) {
    if constexpr (std::is_enum_v<T>) {
      read_word(value, out);
    } else if constexpr (requires { WrittenAs<T>::to(out); }) {
      decltype(WrittenAs<T>::to(out)) plain{};
      read(value, plain);
      if (const std::string_view wanted = WrittenAs<T>::from(plain, out); !wanted.empty()) fail(std::string(wanted));
    } else {
      if (!value.is_object()) return expected("an object", value);
      const Json* const outer = std::exchange(current_, &value);
      const std::size_t outer_known = std::exchange(known_, 0);
      describe(*this, out);
      if (exact_ && known_ < value.size()) fail("a key is not known here");
      current_ = outer;
      known_ = outer_known;
    }
  }
  void read(const Json& value, std::string& out);
  void read(const Json& value, bool& out);
  void read(const Json& value, int& out);
  void read(const Json& value, std::int64_t& out);
  void read(const Json& value, double& out);
  void read(const Json& value, NamedScalars& out);
  void read(const Json& value, std::map<std::string, double>& out);
  template <class T>
  void read(const Json& value, std::optional<T>& out) {
    out.reset();
    if (!value.is_null()) read(value, out.emplace());
  }
  template <class T>
  void read(const Json& value, std::vector<T>& out) {
    if (!value.is_array()) return expected("an array", value);
    out.clear();
    for (std::size_t i = 0; i < value.size() && !problem_; ++i)
      read_at('[' + std::to_string(i) + ']', value[i], out.emplace_back());
  }

 private:
  void fail(const std::string& what);
  void expected(std::string_view what, const Json& value);

  template <class Enum>
  void read_word(const Json& value, Enum& out) {
    std::string text;
    read(value, text);
    const auto& words = enum_words<Enum>;
    const auto found = std::ranges::find(words, text);
    if (found == words.end()) return fail(fmt::format("'{}' is none of: {}", text, fmt::join(words, ", ")));
    out = static_cast<Enum>(found - words.begin());
  }

  template <class T>
  void field_of(const char* key, T& field, bool must) {
    const auto found = current_->find(key);
    if (found != current_->end()) {
      ++known_;
      read_at(key, *found, field);
    } else if (must) {
      fail(std::string("the key '") + key + "' is missing");
    }
  }

  const bool exact_;
  const Json* current_ = nullptr;
  std::size_t known_ = 0;  ///< keys of `current_` that are described
  std::string path_;
  std::optional<std::string> problem_;
};

}  // namespace warpclock
