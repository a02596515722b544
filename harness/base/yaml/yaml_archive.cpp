#include "base/yaml/yaml_archive.hpp"

#include <fmt/format.h>

namespace warpclock {
namespace {

/// The same value with a description: a reference cannot have one beside it.
Json described(Json schema, std::string_view says) {
  if (says.empty()) return schema;
  Json made = {{"description", says}};
  if (schema.contains("$ref")) {
    made["allOf"] = Json::array({std::move(schema)});
  } else {
    made.update(schema);
  }
  return made;
}

}  // namespace

Json YamlSchema::named(const std::string& name, Json made) {
  if (!definitions_.contains(name)) definitions_[name] = std::move(made);
  return {{"$ref", "#/definitions/" + name}};
}

void YamlArchive::named(std::string_view name, std::string_view says) { name_ = name, says_ = says; }

void YamlArchive::schema(std::string_view more) {
  if (schema_ != nullptr) object_.update(json_of(more));
}

void YamlArchive::not_empty() {
  if (schema_ != nullptr) object_["minProperties"] = 1;
  if (reading()) static_cast<void>(node_->entries());
}

void YamlArchive::one_of(std::initializer_list<const char*> keys, std::string_view both) {
  any_of(keys);
  if (schema_ != nullptr) {
    object_["oneOf"] = std::move(object_["anyOf"]);
    object_.erase("anyOf");
  }
  int found = 0;
  for (const char* key : keys) {
    if (!has(key) || ++found < 2) continue;
    if (!both.empty()) return reject(std::string(both));
    std::string all;
    for (const char* each : keys) all += (all.empty() ? "'" : ", '") + std::string(each) + "'";
    return reject(key, all + " exclude each other");
  }
}

void YamlArchive::any_of(std::initializer_list<const char*> keys) {
  std::string names;
  bool found = false;
  for (const char* key : keys) {
    if (schema_ != nullptr) object_["anyOf"].push_back({{"required", {key}}});
    found = found || has(key);
    const char* before = names.empty() ? "" : key == *(keys.end() - 1) ? " or " : ", ";
    names += fmt::format("{}'{}'", before, key);
  }
  if (!found) reject("missing key " + names);
}

void YamlArchive::need(std::initializer_list<const char*> keys) const {
  for (const char* key : keys)
    if (!has(key)) reject(fmt::format("missing key '{}'", key));
}

void YamlArchive::reject(const std::string& why) const {
  if (node_ != nullptr) node_->reject(why);
}

void YamlArchive::reject(std::string_view key, const std::string& why) const {
  if (node_ != nullptr) node_->find(key).value_or(*node_).reject(why);
}

void YamlArchive::reject(std::string_view key, std::string_view inner, const std::string& why) const {
  if (const auto outer = node_ == nullptr ? std::nullopt : node_->find(key))
    outer->find(inner).value_or(*outer).reject(why);
}

void YamlArchive::add(std::string_view key, Json form, std::string_view says, const Json& otherwise, bool must) {
  form = described(std::move(form), says);
  // 0 and "" mostly stand for nothing.
  const auto* const text = otherwise.get_ptr<const std::string*>();
  const bool none =
      otherwise.is_null() || (text != nullptr && text->empty()) || (otherwise == 0 && form.value("minimum", 0) > 0);
  if (!none) {
    if (form.contains("$ref")) form = {{"allOf", Json::array({std::move(form)})}};
    form["default"] = otherwise;
  }
  object_["properties"][std::string(key)] = std::move(form);
  if (must) object_["required"].push_back(key);
}

Json YamlArchive::made() {
  Json made = described({{"type", "object"}}, says_);
  made.update(object_);
  if (!free_) made["additionalProperties"] = false;
  return name_.empty() ? made : schema_->named(name_, std::move(made));
}

namespace yaml {

void Real::read(const Node& node, double& out) const {
  out = node.number();
  if (node.failed()) return;
  if (above && !(out > low)) node.reject(fmt::format("{} is not above {}", out, low));
  if (out < low || out > high) node.reject(fmt::format("{} is out of range ({} to {})", out, low, high));
}

Json Real::schema(YamlSchema&, const double&) const {
  Json made = {{"type", "number"}};
  if (low > -std::numeric_limits<double>::infinity()) made[above ? "exclusiveMinimum" : "minimum"] = low;
  if (high < std::numeric_limits<double>::infinity()) made["maximum"] = high;
  return made;
}

}  // namespace yaml
}  // namespace warpclock
