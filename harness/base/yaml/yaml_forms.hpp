#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/json/json_writer.hpp"
#include "base/yaml/yaml.hpp"

namespace warpclock {

class YamlArchive;

/// What editors are told of YAML files, in the draft of JSON Schema that they know best (draft 7).
class YamlSchema {
 public:
  /// `definitions`: JSON text of those that forms name.
  explicit YamlSchema(std::string_view definitions = "{}") : definitions_(json_of(definitions)) {}

  /// `{"$ref": …}` to the definition with this name, which is `made` if there is none yet.
  [[nodiscard]] Json named(const std::string& name, Json made = {});
  /// A described struct.
  template <class T, class... In>
  [[nodiscard]] Json of(In&&... in);

  [[nodiscard]] const Json& definitions() const { return definitions_; }
  [[nodiscard]] Json& definition(const std::string& name) { return definitions_[name]; }

 private:
  Json definitions_;
};

/// How values are written in YAML. A form reads a value, and says what it reads: `form.read(node, out)` and
/// `form.schema(all, out)`, whose `out` is there for its type alone.
namespace yaml {

template <class F>
concept Form = std::is_class_v<F> && !std::is_same_v<F, std::string_view> && !std::is_same_v<F, std::string>;

/// By its type: text, true or false, a number, a word of an enumeration, a list of at least one, a map with free keys,
/// or a described struct.
struct Plain {
  template <class T>
  void read(const Node& node, T& out) const;
  template <class T>
  [[nodiscard]] Json schema(YamlSchema& all, const T& blank) const;
};

/// A struct whose description takes arguments.
template <class... In>
struct With {
  std::tuple<In&...> in;

  template <class T>
  void read(const Node& node, T& out) const;
  template <class T>
  [[nodiscard]] Json schema(YamlSchema& all, const T&) const {
    return std::apply([&](auto&... each) { return all.of<T>(each...); }, in);
  }
};

template <class... In>
[[nodiscard]] With<std::remove_reference_t<In>...> with(In&&... in) {
  return {{in...}};
}

/// An integer, low <= value <= high.
struct Whole {
  std::int64_t low, high;

  template <class T>
  void read(const Node& node, T& out) const {
    out = static_cast<T>(node.integer(low, high));
  }
  [[nodiscard]] Json schema(YamlSchema&, const auto&) const {
    return {{"type", "integer"}, {"minimum", low}, {"maximum", high}};
  }
};

/// A number, low <= value <= high; `above`: low < value.
struct Real {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool above = false;

  void read(const Node& node, double& out) const;
  [[nodiscard]] Json schema(YamlSchema&, const double&) const;
};

[[nodiscard]] inline Real positive() { return {.low = 0, .above = true}; }

/// One of these words. Those of an enumeration are its enumerators in their order, from the one with this index on.
struct OneOfWords {
  std::vector<std::string> words;
  std::size_t first = 0;

  template <class T>
  void read(const Node& node, T& out) const {
    const std::string word = node.word(words);
    if constexpr (std::is_enum_v<T>) {
      if (!node.failed()) out = static_cast<T>(first + static_cast<std::size_t>(index_of(word)));
    } else {
      out = word;
    }
  }
  [[nodiscard]] Json schema(YamlSchema&, const auto&) const { return {{"enum", words}}; }

 private:
  [[nodiscard]] std::ptrdiff_t index_of(const std::string& word) const {
    return std::ranges::find(words, word) - words.begin();
  }
};

/// A list.
template <class Each>
struct List {
  Each each;
  bool or_one = false;   ///< one element may be written without the list
  bool or_none = false;  ///< the list may be empty
  bool different = false;
  bool are_roots = false;  ///< the paths of messages begin at the elements
  std::size_t most = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] List once() const { return with(&List::different, true); }
  [[nodiscard]] List roots() const { return with(&List::are_roots, true); }
  [[nodiscard]] List at_most(std::size_t count) const { return with(&List::most, count); }

  void read(const Node& node, auto& out) const;
  template <class Out>
  [[nodiscard]] Json schema(YamlSchema& all, const Out&) const;

 private:
  template <class T>
  [[nodiscard]] List with(T List::*member, T value) const {
    List list = *this;
    list.*member = value;
    return list;
  }
};

template <Form Each = Plain>
[[nodiscard]] List<Each> list_of(Each each = {}) {
  return {.each = std::move(each)};
}
template <Form Each = Plain>
[[nodiscard]] List<Each> one_or_list(Each each = {}) {
  return {.each = std::move(each), .or_one = true};
}

/// Adds a pair to a map, or to a list of them.
void read_entry(const std::string& name, const Node& node, const auto& form, auto& out) {
  if constexpr (requires { out[name]; }) {
    form.read(node, out[name]);
  } else {
    auto& [own, value] = out.emplace_back();
    own = name;
    form.read(node, value);
  }
}

/// A map whose keys the file chooses; at least one. It becomes a map, or a list of pairs.
template <class Each>
struct Entries {
  Each each;
  Json keys = {};  ///< their schema

  void read(const Node& node, auto& out) const {
    for (const auto& [name, entry] : node.entries())
      if (!node.failed()) read_entry(name, entry, each, out);
  }
  template <class Out>
  [[nodiscard]] Json schema(YamlSchema& all, const Out&) const {
    Json made = {{"type", "object"}, {"minProperties", 1}};
    if (!keys.is_null()) made["propertyNames"] = keys;
    typename Out::value_type blank{};
    auto& [name, value] = blank;
    made["additionalProperties"] = each.schema(all, value);
    return made;
  }
};

template <Form Each = Plain>
[[nodiscard]] Entries<Each> entries_of(Each each = {}, Json keys = {}) {
  return {std::move(each), std::move(keys)};
}

/// A form, and what is checked of each value that it could read: `check(node, value)`.
template <class Of, class Check>
struct Checked {
  Of of;
  Check check;

  void read(const Node& node, auto& out) const {
    of.read(node, out);
    if (!node.failed()) check(node, out);
  }
  [[nodiscard]] Json schema(YamlSchema& all, const auto& blank) const { return of.schema(all, blank); }
};

template <Form Of, class Check>
[[nodiscard]] Checked<Of, Check> checked(Of of, Check check) {
  return {std::move(of), std::move(check)};
}

/// What a function makes of a node. Another one makes the schema, if editors are told of it.
template <class Read>
struct Custom {
  Read make;
  std::function<Json(YamlSchema&)> say;

  void read(const Node& node, auto& out) const { out = make(node); }
  [[nodiscard]] Json schema(YamlSchema& all, const auto&) const { return say(all); }
};

template <class Read, std::invocable<YamlSchema&> Say>
[[nodiscard]] Custom<Read> custom(Read read, Say say) {
  return {std::move(read), std::move(say)};
}
/// `definition`: its name.
template <class Read>
[[nodiscard]] Custom<Read> custom(Read read, const char* definition) {
  return {std::move(read), [definition](YamlSchema& all) { return all.named(definition); }};
}
template <class Read>
[[nodiscard]] Custom<Read> custom(Read read, Json schema = Json::object()) {
  return {std::move(read), [schema = std::move(schema)](YamlSchema&) { return schema; }};
}

/// A map with only this key.
template <class Of>
struct Under {
  const char* key;
  Of of;

  void read(const Node& node, auto& out) const;
  [[nodiscard]] Json schema(YamlSchema& all, const auto& blank) const {
    return {{"type", "object"},
            {"properties", {{key, of.schema(all, blank)}}},
            {"additionalProperties", false},
            {"required", Json::array({key})}};
  }
};

template <Form Of = Plain>
[[nodiscard]] Under<Of> under(const char* key, Of of = {}) {
  return {key, std::move(of)};
}

/// The entry of a map that a name means; the map is of `what`.
template <class T>
[[nodiscard]] auto entry_of(const std::map<std::string, T>& known, const char* what) {
  return custom([&known, what](const Node& node) { return node.entry_of(known, what); });
}

/// A text that none has of those that were seen.
[[nodiscard]] inline auto new_text(std::set<std::string>& seen) {
  return custom([&seen](const Node& node) {
    std::string text = node.text();
    if (!seen.insert(text).second) node.reject_again(text);
    return text;
  });
}

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
inline constexpr bool is_list<std::set<T>> = true;
template <class T>
inline constexpr bool is_entries = false;
template <class T>
inline constexpr bool is_entries<std::vector<std::pair<std::string, T>>> = true;
template <class T, class... More>
inline constexpr bool is_entries<std::map<std::string, T, More...>> = true;

/// The value of a field that may be absent.
template <class T>
[[nodiscard]] T& within(T& field) {
  return field;
}
template <class T>
[[nodiscard]] T& within(std::optional<T>& field) {
  if (!field) field = T{};
  return *field;
}

}  // namespace yaml
}  // namespace warpclock
