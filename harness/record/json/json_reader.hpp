#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/json/json_text.hpp"
#include "record/json/record_fields.hpp"

namespace warpclock {

/// The archive that fills described structs from foreign JSON. Keeps the first thing that is wrong, with its path
/// ("cases[3].samples[0].n"), and reads on without harm.
class JsonReader {
 public:
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

  /// Reads `value` as the element `key` ("cases[3]") of what is being read.
  template <class T>
  void read_at(const std::string& key, const Json& value, T& out) {
    at(key, [&] { read(value, out); });
  }
  /// Calls `body` with `key` added to the path of what is found wrong in there.
  template <class Body>
  void at(const std::string& key, Body body) {
    const std::size_t length = path_.size();
    if (!path_.empty() && !key.starts_with('[')) path_ += '.';
    path_ += key;
    body();
    path_.resize(length);
  }

  template <class T>
  void read(const Json& value, T& out) {
    if (!value.is_object()) return expected("an object", value);
    const Json* const outer = std::exchange(current_, &value);
    describe(*this, out);
    current_ = outer;
  }
  void read(const Json& value, std::string& out);
  void read(const Json& value, bool& out);
  void read(const Json& value, int& out);
  void read(const Json& value, std::int64_t& out);
  void read(const Json& value, double& out);
  void read(const Json& value, std::optional<double>& out);
  void read(const Json& value, Outcome& out);
  void read(const Json& value, Method& out);
  void read(const Json& value, Relation& out);
  void read(const Json& value, Find::What& out);
  void read(const Json& value, Parameters& out);
  void read(const Json& value, std::vector<std::pair<std::string, int>>& out);
  void read(const Json& value, std::map<std::string, double>& out);
  template <class T>
  void read(const Json& value, std::vector<T>& out) {
    if (!value.is_array()) return expected("an array", value);
    out.resize(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) read_at('[' + std::to_string(i) + ']', value[i], out[i]);
  }

  void fail(const std::string& what);
  void expected(std::string_view what, const Json& value);

 private:
  template <class T>
  void field_of(const char* key, T& field, bool must) {
    const auto found = current_->find(key);
    if (found != current_->end()) {
      read_at(key, *found, field);
    } else if (must) {
      fail(std::string("the key '") + key + "' is missing");
    }
  }

  const Json* current_ = nullptr;
  std::string path_;
  std::optional<std::string> problem_;
};

}  // namespace warpclock
