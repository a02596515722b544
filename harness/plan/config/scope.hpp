#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/yaml/yaml_archive.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// What a stanza's products, texts and clauses may refer to: its sweep.
struct Scope {
  std::vector<Axis> columns;
  std::vector<Parameters> points;
  std::vector<std::int64_t> repeat;

  [[nodiscard]] std::vector<std::string> names() const;
};

/// Which factors a product may have in addition to parameters and numbers.
enum class Extra { None, Repeat, Sms };

/// An integer, a size ("64 MiB"), a parameter, or a list of those; with Extra::Repeat also an empty list, which is 1.
/// Rejected unless it lies in the range at every point (and every repeat count); the device's SM count is taken as 1.
[[nodiscard]] Product read_product(const Node& node, const Scope& scope, Range range, Extra extra = Extra::None);

/// Text whose {placeholders} resolve at every point.
[[nodiscard]] std::string read_template(const Node& node, const Scope& scope);

/// Like read_template(); the text must also be an opcode pattern at every point: "HMMA.16816.F32".
[[nodiscard]] std::string read_opcode(const Node& node, const Scope& scope);

/// One of `allowed`, or a parameter all of whose values are among them.
[[nodiscard]] std::string read_word(const Node& node, const Scope& scope, const std::vector<std::string>& allowed);

/// Rejected if it names an unknown parameter or value, or matches no point.
[[nodiscard]] Clause read_clause(const Node& node, const Scope& scope);

/// The values that an axis or a clause gives for one parameter: a value, a list, {pow2: [low, high]}, or {from, to,
/// per_octave, step}: values that grow by equal factors, each rounded to a multiple of the step.
[[nodiscard]] std::vector<Value> read_values(const Node& node);

/// A name that the config defines: a lower-case letter, then letters, digits, underscores (and dots where allowed).
[[nodiscard]] bool is_name(const std::string& text, bool dots = false);
[[nodiscard]] std::string read_name(const Node& node, bool dots = false);

/// Of at least `least`, which a file calls `min`.
[[nodiscard]] Arch read_arch(const Node& node, int least = 0);

/// What is wrong with the name of a parameter, or empty: it becomes a macro in upper case, beside those of the probe
/// contract.
[[nodiscard]] std::string problem_of_parameter(const std::string& name);

/// What editors are told of all these values. The schema of configs begins with it.
[[nodiscard]] YamlSchema schema_of_values();

namespace yaml {

[[nodiscard]] inline auto product(const Scope& scope, Range range, Extra extra = Extra::None) {
  return custom([&scope, range, extra](const Node& node) { return read_product(node, scope, range, extra); },
                extra == Extra::Repeat ? "repeat_product" : "product");
}
[[nodiscard]] inline auto with_parameters(const Scope& scope) {
  return custom([&scope](const Node& node) { return read_template(node, scope); }, "text");
}
[[nodiscard]] inline auto opcode(const Scope& scope) {
  return custom([&scope](const Node& node) { return read_opcode(node, scope); }, "opcode");
}
[[nodiscard]] inline auto word_or_parameter(const Scope& scope, std::vector<std::string> allowed) {
  return custom([&scope, allowed = std::move(allowed)](const Node& node) { return read_word(node, scope, allowed); },
                Json{{"type", "string"}});
}
[[nodiscard]] inline auto clauses(const Scope& scope) {
  return one_or_list(custom([&scope](const Node& node) { return read_clause(node, scope); }, "clause"));
}
[[nodiscard]] inline auto name() {
  return custom([](const Node& node) { return read_name(node); }, "name");
}
[[nodiscard]] inline auto dotted_name() {
  return custom([](const Node& node) { return read_name(node, true); }, "dotted_name");
}
[[nodiscard]] inline auto arch(int least = 0) {
  return custom([least](const Node& node) { return read_arch(node, least); }, "arch");
}
/// One of these, which only the loader knows.
[[nodiscard]] inline auto known(std::vector<std::string> names, const char* definition) {
  return custom([names = std::move(names)](const Node& node) { return node.word(names); }, definition);
}

}  // namespace yaml
}  // namespace warpclock
