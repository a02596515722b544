#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "record/json/json_reader.hpp"

namespace warpclock {

/// Reads foreign JSON that is written for size: arrays whose elements have a meaning by place, and indexes of what is
/// shared.
class ElementReader {
 public:
  [[nodiscard]] const std::string* problem() const { return in_.problem(); }

 protected:
  template <class T>
  void get(const Json& object, const char* key, T& out, bool must = false) {
    const auto found = object.find(key);
    if (found != object.end()) {
      in_.read_at(key, *found, out);
    } else if (must) {
      in_.fail(std::string("the key '") + key + "' is missing");
    }
  }
  template <class T>
  void item(const Json& array, std::size_t i, T& out) {
    in_.read_at(index(i), array[i], out);
  }
  /// Whether `value` is an array of `least` elements or more.
  bool is_array(const Json& value, std::size_t least) {
    if (!value.is_array() || value.size() < least) {
      in_.expected("an array of " + std::to_string(least) + " or more", value);
      return false;
    }
    return true;
  }
  /// Calls `body(element)` for the elements of an optional array that are arrays of `least` or more themselves.
  template <class Body>
  void each(const Json& object, const char* key, std::size_t least, Body body) {
    each_any(object, key, [&](const Json& element) {
      if (is_array(element, least)) body(element);
    });
  }
  template <class Body>
  void each_any(const Json& object, const char* key, Body body) {
    const auto found = object.find(key);
    if (found == object.end()) return;
    in_.at(key, [&] {
      if (!is_array(*found, 0)) return;
      for (std::size_t i = 0; i < found->size(); ++i) in_.at(index(i), [&] { body((*found)[i]); });
    });
  }
  static std::string index(std::size_t i) { return '[' + std::to_string(i) + ']'; }

  /// Reads the optional index `key` of something shared.
  template <class T>
  void shared(const Json& object, const char* key, const std::vector<T>& pool, const char* what, T& out) {
    const auto found = object.find(key);
    if (found == object.end()) return;
    in_.at(key, [&] {
      if (const T* known = at(*found, pool, what)) out = *known;
    });
  }
  /// What `value` is the index of, or nullptr.
  template <class T>
  const T* at(const Json& value, const std::vector<T>& pool, const char* what) {
    std::int64_t i = -1;
    in_.read(value, i);
    if (i < 0 || static_cast<std::uint64_t>(i) >= pool.size()) {
      in_.fail(std::string("no such ") + what);
      return nullptr;
    }
    const T& found = pool[static_cast<std::size_t>(i)];
    if constexpr (requires { found.size(); }) {
      if (count(1, found.size() + 1) == 0) return nullptr;
    }
    return &found;
  }
  /// `copies` where there is room for so many of `each` elements, else 0: neither a hostile count nor many mentions of
  /// something large must fill the memory.
  std::size_t count(std::int64_t copies, std::size_t each) {
    constexpr std::size_t most = 50'000'000;
    if (copies >= 0 && static_cast<std::uint64_t>(copies) <= (most - expanded_) / each) {
      expanded_ += static_cast<std::size_t>(copies) * each;
      return static_cast<std::size_t>(copies);
    }
    in_.fail("more than a table can hold");
    return 0;
  }

  JsonReader in_;

 private:
  std::size_t expanded_ = 0;
};

}  // namespace warpclock
