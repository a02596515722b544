#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/config/yaml.hpp"
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

/// A clause or a list of them. Rejected if a clause names an unknown parameter or value, or matches no point.
[[nodiscard]] std::vector<Clause> read_clauses(const Node& node, const Scope& scope);

/// The values that an axis or a clause gives for one parameter: a value, a list, {pow2: [low, high]}, or {from, to,
/// per_octave, step}: values that grow by equal factors, each rounded to a multiple of the step.
[[nodiscard]] std::vector<Value> read_values(const Node& node);

/// A name that the config defines: a lower-case letter, then letters, digits, underscores (and dots where allowed).
[[nodiscard]] bool is_name(const std::string& text, bool dots = false);
[[nodiscard]] std::string read_name(const Node& node, bool dots = false);

}  // namespace warpclock
