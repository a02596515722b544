#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
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
#include "base/yaml/yaml_forms.hpp"

namespace warpclock {

/// The archive that describes maps of YAML. It reads a described struct; before that it learns the keys, and for
/// editors it makes the schema. So a description runs several times, and on an empty struct too:
///
///   void describe(YamlArchive& a, Launch& v, const Scope& scope) {
///     a.named("launch", "The shape of the launch.");
///     WARPCLOCK_OPTIONAL(label);                                           // the text that the key has
///     a.optional("warmups", v.warmups, yaml::Whole{0, 1000}, "Untimed passes before the recorded one.");
///     if (a.has("hit_ratio") && !a.has("persisting")) a.reject("hit_ratio", "goes with 'persisting' only");
///   }
///
/// Keys are read in the order of the description. After the first error nothing more is read. Texts are for editors.
class YamlArchive {
 public:
  template <class T, class Form = yaml::Plain>
  requires yaml::Form<Form>
  void required(std::string_view key, T& field, const Form& form = {}, std::string_view says = {}) {
    key_of(key, field, form, says, true);
  }
  template <class T>
  void required(std::string_view key, T& field, std::string_view says) {
    key_of(key, field, yaml::Plain(), says, true);
  }
  template <class T, class Form = yaml::Plain>
  requires yaml::Form<Form>
  void optional(std::string_view key, T& field, const Form& form = {}, std::string_view says = {}) {
    key_of(key, field, form, says, false);
  }
  template <class T>
  void optional(std::string_view key, T& field, std::string_view says) {
    key_of(key, field, yaml::Plain(), says, false);
  }
  /// All other keys, in their order, as pairs of name and value. `names` is the definition of the keys.
  template <class Pairs, class Form>
  void others(Pairs& field, const Form& form, const char* names) {
    free_ = true;
    if (schema_ != nullptr) {
      object_["propertyNames"] = schema_->named(names);
      object_["additionalProperties"] = yaml::entries_of(form).schema(*schema_, field)["additionalProperties"];
    }
    if (!reading()) return;
    for (const auto& [name, entry] : node_->entries())
      if (!node_->failed() && std::ranges::find(keys_, name) == keys_.end()) yaml::read_entry(name, entry, form, field);
  }

  /// The name and the text of the definition in the schema. Without a name it stands where it is used.
  void named(std::string_view name, std::string_view says = {});
  /// JSON text with more that holds of the map.
  void schema(std::string_view more);
  void not_empty();
  /// Exactly one of these keys is there. `both`: what is said of the map if several are; else the second is rejected.
  void one_of(std::initializer_list<const char*> keys, std::string_view both = {});
  /// At least one of these keys is there.
  void any_of(std::initializer_list<const char*> keys);
  /// Each of these keys is there, because another one is.
  void need(std::initializer_list<const char*> keys) const;

  /// Whether the key is there. Nothing is while no map is read.
  [[nodiscard]] bool has(std::string_view key) const { return node_ != nullptr && node_->find(key).has_value(); }
  /// Whether a map is read, without an error so far.
  [[nodiscard]] bool reading() const { return node_ != nullptr && !node_->failed(); }
  [[nodiscard]] std::string place() const { return node_ == nullptr ? std::string() : node_->place(); }
  /// Reports an error of the map, of the value of a key, or of that of a key in it.
  void reject(const std::string& why) const;
  void reject(std::string_view key, const std::string& why) const;
  void reject(std::string_view key, std::string_view inner, const std::string& why) const;

  template <class T, class... In>
  static void read(const Node& node, T& out, In&&... in) {
    YamlArchive keys;
    T blank{};
    describe(keys, blank, in...);
    if (!node.is(Node::Kind::Map, "a map")) return;
    if (!keys.free_) node.check_keys(keys.keys_);
    keys.node_ = &node;
    describe(keys, out, in...);
  }

 private:
  friend class YamlSchema;

  YamlArchive() = default;
  explicit YamlArchive(YamlSchema& schema) : schema_(&schema) {}

  template <class T, class Form>
  void key_of(std::string_view key, T& field, const Form& form, std::string_view says, bool must) {
    if (node_ == nullptr) keys_.emplace_back(key);
    if (schema_ != nullptr) {
      Json otherwise;
      if constexpr (std::is_integral_v<T> || std::is_same_v<T, std::string>) {
        if (!must) otherwise = field;
      } else if constexpr (Worded<T>) {
        if (!must) otherwise = word(field);
      }
      add(key, form.schema(*schema_, yaml::within(field)), says, otherwise, must);
    }
    if (!reading()) return;
    if (const auto at = node_->find(key)) {
      form.read(*at, yaml::within(field));
    } else if (must) {
      reject("missing key '" + std::string(key) + "'");
    }
  }

  void add(std::string_view key, Json form, std::string_view says, const Json& otherwise, bool must);
  [[nodiscard]] Json made();

  const Node* node_ = nullptr;
  YamlSchema* schema_ = nullptr;
  std::vector<std::string> keys_;
  bool free_ = false;
  std::string name_, says_;
  Json object_ = Json::object();
};

/// A file. Error "config" at file:line:column.
template <class T, class Form = yaml::Plain>
[[nodiscard]] Expected<T> read_yaml(const std::string& file, std::string_view text, const Form& form = {}) {
  const auto document = WARPCLOCK_TRY(Document::parse(file, text));
  T out{};
  form.read(document.root(), out);
  if (document.error()) return std::unexpected(*document.error());
  return out;
}

template <class T, class... In>
Json YamlSchema::of(In&&... in) {
  YamlArchive archive(*this);
  T blank{};
  describe(archive, blank, in...);
  return archive.made();
}

namespace yaml {

template <class T>
void Plain::read(const Node& node, T& out) const {
  if constexpr (std::is_same_v<T, std::string>) {
    out = node.text();
  } else if constexpr (std::is_same_v<T, bool>) {
    out = node.boolean();
  } else if constexpr (std::is_integral_v<T>) {
    Whole{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}.read(node, out);
  } else if constexpr (std::is_same_v<T, double>) {
    out = node.number();
  } else if constexpr (std::is_same_v<T, std::variant<std::int64_t, std::string>>) {
    out = node.value();
  } else if constexpr (Worded<T>) {
    OneOfWords{{enum_words<T>.begin(), enum_words<T>.end()}}.read(node, out);
  } else if constexpr (is_entries<T>) {
    entries_of().read(node, out);
  } else if constexpr (is_list<T>) {
    list_of().read(node, out);
  } else {
    YamlArchive::read(node, out);
  }
}

template <class T>
Json Plain::schema(YamlSchema& all, const T& blank) const {
  if constexpr (std::is_same_v<T, std::string>) {
    return all.named("text", {{"type", "string"}, {"pattern", "[^\\n]"}});
  } else if constexpr (std::is_same_v<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_integral_v<T>) {
    return Whole{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}.schema(all, blank);
  } else if constexpr (std::is_same_v<T, double>) {
    return {{"type", "number"}};
  } else if constexpr (std::is_same_v<T, std::variant<std::int64_t, std::string>>) {
    return {{"type", {"integer", "string"}}};
  } else if constexpr (Worded<T>) {
    return {{"enum", enum_words<T>}};
  } else if constexpr (is_entries<T>) {
    return entries_of().schema(all, blank);
  } else if constexpr (is_list<T>) {
    return list_of().schema(all, blank);
  } else {
    return all.of<T>();
  }
}

template <class... In>
template <class T>
void With<In...>::read(const Node& node, T& out) const {
  std::apply([&](auto&... each) { YamlArchive::read(node, out, each...); }, in);
}

template <class Each>
void List<Each>::read(const Node& node, auto& out) const {
  using T = typename std::remove_cvref_t<decltype(out)>::value_type;
  out.clear();
  if (or_none && node.is_empty_list()) return;
  for (const Node& item : or_one ? node.items_or_self() : node.items()) {
    if (node.failed()) return;
    const Node own = are_roots ? item.rebased() : item;
    T value{};
    each.read(own, value);
    if constexpr (std::equality_comparable<T>) {
      if (different && !node.failed() && std::ranges::find(out, value) != out.end()) own.reject_again(value);
    }
    out.insert(out.end(), std::move(value));
  }
  if (out.size() > most) node.reject("more than " + std::to_string(most) + " of these");
}

template <class Each>
template <class Out>
Json List<Each>::schema(YamlSchema& all, const Out&) const {
  const Json one = each.schema(all, typename Out::value_type{});
  Json list = {{"type", "array"}, {"items", one}};
  if (!or_none) list["minItems"] = 1;
  if (most != std::numeric_limits<std::size_t>::max()) list["maxItems"] = most;
  if (different) list["uniqueItems"] = true;
  return or_one ? Json{{"oneOf", {one, list}}} : list;
}

template <class Of>
void Under<Of>::read(const Node& node, auto& out) const {
  if (!node.is(Node::Kind::Map, "a map")) return;
  node.check_keys({key});
  const auto at = node.find(key);
  if (!at) return node.reject(std::string("missing key '") + key + "'");
  of.read(*at, out);
}

}  // namespace yaml
}  // namespace warpclock
