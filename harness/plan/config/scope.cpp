#include "plan/config/scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <string_view>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "base/yaml/yaml.hpp"
#include "plan/sweep.hpp"

namespace warpclock {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_word_char(char c) { return is_lower(c) || is_digit(c) || c == '_' || (c >= 'A' && c <= 'Z'); }

/// Values occur in case ids, macros and file names, so they are limited to characters that none of those must escape.
bool is_sweep_word(const std::string& text) {
  constexpr std::size_t longest = 64;
  return text.size() <= longest && std::ranges::all_of(text, [](char c) {
           return is_word_char(c) || c == '.' || c == ':' || c == '+' || c == '-';
         });
}

bool is_opcode(const std::string& text) {
  bool start = true;
  for (const char c : text) {
    if (c == '.' && start) return false;
    if (c != '.' && !is_word_char(c)) return false;
    start = c == '.';
  }
  return !start && text.front() >= 'A' && text.front() <= 'Z';
}

/// The bytes in "64 MiB". Rejected if it is not a size or does not fit.
std::int64_t read_size(const Node& node, std::string_view text) {
  constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB"};
  const std::size_t blank = text.find(' ');
  const auto unit = std::ranges::find(units, text.substr(blank + 1));
  const std::string_view digits = text.substr(0, blank);
  if (!is_plain_integer(digits) || digits.starts_with('-') || unit == std::end(units)) {
    node.reject(fmt::format("'{}' is not a size (write 64 B, 64 KiB, 64 MiB or 64 GiB)", text));
    return 0;
  }
  const auto count = whole_number<std::int64_t>(digits);
  const auto shift = 10 * (unit - std::begin(units));
  if (!count || *count > INT64_MAX >> shift) {
    node.reject(fmt::format("{} bytes do not fit in 64 bits", text));
    return 0;
  }
  return *count << shift;
}

Value read_factor(const Node& node, const Scope& scope, Extra extra) {
  Value factor = node.value();
  const auto* name = std::get_if<std::string>(&factor);
  if (name == nullptr || node.failed()) return factor;
  if (name->contains(' ')) return read_size(node, *name);
  std::vector<std::string> known = scope.names();
  if (extra == Extra::Repeat) known.emplace_back("n");
  if (extra == Extra::Sms) known.emplace_back("sms");
  if (contains(known, *name)) return factor;
  if (*name == "n" || *name == "sms") node.reject(fmt::format("'{}' cannot be a factor here", *name));
  node.reject(fmt::format("unknown parameter '{}'{}", *name, hint(*name, known)));
  return factor;
}

void check_product(const Node& node, const Product& product, const Parameters& point, Range range) {
  const Expected<std::int64_t> value = product.evaluate(point);
  if (!value) {
    node.reject(value.error().text);
  } else if (*value < range.low || *value > range.high) {
    const std::string at = point.empty() ? "" : fmt::format(" at [{}]", to_string(point));
    node.reject(fmt::format("{} is out of range ({} to {}){}", *value, range.low, range.high, at));
  }
}

constexpr std::int64_t highest = std::int64_t{1} << 40;

std::vector<Value> read_powers(const Node& node) {
  std::vector<Node> ends;
  yaml::under("pow2", yaml::custom([](const Node& list) { return list.items(); })).read(node, ends);
  if (node.failed()) return {};
  if (ends.size() != 2) {
    node.reject("pow2 takes two numbers, the first and the last power of two");
    return {};
  }
  const std::int64_t low = ends[0].integer(1, highest);
  const std::int64_t high = ends[1].integer(1, highest);
  for (const Node& end : ends) {
    const std::int64_t value = end.failed() ? 1 : end.integer(1, highest);
    if (!std::has_single_bit(static_cast<std::uint64_t>(value)))
      end.reject(fmt::format("{} is not a power of two", value));
  }
  if (low > high) ends[1].reject(fmt::format("{} is less than {}", high, low));
  std::vector<Value> values;
  for (std::int64_t value = low; value <= high && !node.failed(); value *= 2) values.emplace_back(value);
  return values;
}

/// "1 KiB", or a plain number.
std::int64_t read_amount(const Node& node) {
  const Value value = node.value();
  const auto* size = std::get_if<std::string>(&value);
  if (size == nullptr || node.failed()) return node.integer(1, highest);
  const std::int64_t bytes = read_size(node, *size);
  if (!node.failed() && (bytes < 1 || bytes > highest)) {
    node.reject(fmt::format("{} is out of range (1 to {})", bytes, highest));
  }
  return std::max<std::int64_t>(bytes, 1);
}

struct Octaves {
  std::int64_t from = 1, to = 1, per_octave = 1, step = 1;
};

void describe(YamlArchive& a, Octaves& v) {
  constexpr std::int64_t most_per_octave = 64;
  const auto amount = yaml::custom(read_amount, "amount");
  a.named("octaves",
          "Numbers or sizes that grow by equal factors, so many to each doubling, each rounded to a multiple of the "
          "step.");
  a.required("from", v.from, amount);
  a.required("to", v.to, amount);
  if (v.from > v.to) a.reject("to", fmt::format("{} is less than {}", v.to, v.from));
  a.required("per_octave", v.per_octave, yaml::Whole{1, most_per_octave});
  a.optional("step", v.step, amount);
  if (v.from % v.step != 0) a.reject(fmt::format("{} is not a multiple of the step", v.from));
}

std::vector<Value> read_octaves(const Node& node) {
  Octaves octaves;
  YamlArchive::read(node, octaves);
  const auto low = static_cast<double>(octaves.from), step = static_cast<double>(octaves.step);
  std::vector<Value> values;
  for (int i = 0; !node.failed(); ++i) {
    const double exact = low * std::exp2(static_cast<double>(i) / static_cast<double>(octaves.per_octave));
    const auto value = static_cast<std::int64_t>(std::llround(exact / step)) * octaves.step;
    if (value > octaves.to) break;
    if (values.empty() || std::get<std::int64_t>(values.back()) < value) values.emplace_back(value);
  }
  return values;
}

std::vector<Value> read_range(const Node& node) {
  const auto entries = node.entries();
  const bool powers = std::ranges::any_of(entries, [](const auto& entry) { return entry.first == "pow2"; });
  return powers ? read_powers(node) : read_octaves(node);
}

}  // namespace

std::vector<std::string> Scope::names() const {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const Axis& column : columns) names.push_back(column.name);
  return names;
}

Product read_product(const Node& node, const Scope& scope, Range range, Extra extra) {
  Product product;
  const bool one = extra == Extra::Repeat && node.is_empty_list();
  for (const Node& item : one ? std::vector<Node>{} : node.items_or_self()) {
    product.factors.push_back(read_factor(item, scope, extra));
  }
  if (std::ranges::count(product.factors, Value("sms")) > 1) node.reject("'sms' can be a factor only once");
  for (const Parameters& point : scope.points) {
    if (node.failed()) break;
    Parameters values = point;
    if (extra == Extra::Sms) values.emplace_back("sms", 1);
    if (extra != Extra::Repeat) check_product(node, product, values, range);
    for (const std::int64_t n : extra == Extra::Repeat ? scope.repeat : std::vector<std::int64_t>{}) {
      values.emplace_back("n", n);
      check_product(node, product, values, range);
      values.pop_back();
    }
  }
  return product;
}

std::string read_template(const Node& node, const Scope& scope) {
  std::string text = node.text();
  for (const Parameters& point : scope.points) {
    if (node.failed()) break;
    if (const Expected<std::string> resolved = substitute(text, point); !resolved) node.reject(resolved.error().text);
  }
  return text;
}

std::string read_word(const Node& node, const Scope& scope, const std::vector<std::string>& allowed) {
  const auto column = node.kind() != Node::Kind::Scalar || contains(allowed, node.text())
                          ? scope.columns.end()
                          : std::ranges::find(scope.columns, node.text(), &Axis::name);
  if (column == scope.columns.end()) return node.word(allowed);
  for (const Value& value : column->values) {
    if (!contains(allowed, to_string(value))) {
      node.reject(fmt::format("'{}' of {} is none of {}", to_string(value), column->name, fmt::join(allowed, ", ")));
    }
  }
  return column->name;
}

std::string read_opcode(const Node& node, const Scope& scope) {
  std::string text = read_template(node, scope);
  for (const Parameters& point : scope.points) {
    if (node.failed()) break;
    const std::string opcode = substitute(text, point).value_or("");
    if (!is_opcode(opcode)) node.reject(fmt::format("'{}' is not an opcode (write HMMA.16816.F32)", opcode));
  }
  return text;
}

Clause read_clause(const Node& node, const Scope& scope) {
  Clause clause;
  for (const auto& [name, entry] : node.entries()) {
    const auto column = std::ranges::find(scope.columns, name, &Axis::name);
    if (column == scope.columns.end()) {
      entry.reject(fmt::format("unknown parameter '{}'{}", name, hint(name, scope.names())));
      return clause;
    }
    const auto known = mapped(column->values, [](const auto& each) { return to_string(each); });
    Axis axis{name, {}};
    if (entry.kind() == Node::Kind::Map) {
      axis.values = read_range(entry);
    }
    for (const Node& item : entry.kind() == Node::Kind::Map ? std::vector<Node>{} : entry.items_or_self()) {
      axis.values.push_back(item.value());
      const std::string word = to_string(axis.values.back());
      if (!item.failed() && !contains(known, word)) {
        item.reject(fmt::format("unknown value '{}'{}", word, hint(word, known)));
      }
    }
    clause.any_of.push_back(std::move(axis));
  }
  if (!node.failed() && !std::ranges::any_of(scope.points, [&](const auto& point) { return matches(clause, point); })) {
    node.reject("matches no point of the sweep");
  }
  return clause;
}

std::vector<Value> read_values(const Node& node) {
  if (node.kind() == Node::Kind::Map) return read_range(node);
  std::vector<Value> values;
  for (const Node& item : node.items_or_self()) {
    Value value = item.value();
    if (!is_sweep_word(to_string(value))) {
      item.reject("a sweep's words have at most 64 letters, digits and . : _ + - and nothing else");
    }
    const bool known = std::ranges::any_of(values, [&](const Value& v) { return to_string(v) == to_string(value); });
    if (known) item.reject(fmt::format("the value {} is given twice", to_string(value)));
    if (!values.empty() && values.front().index() != value.index())
      item.reject(fmt::format("{} and {}: the values of a parameter are all numbers or all words",
                              to_string(values.front()), to_string(value)));
    values.push_back(std::move(value));
  }
  return values;
}

bool is_name(const std::string& text, bool dots) {
  constexpr std::size_t longest = 64;
  return !text.empty() && text.size() <= longest && is_lower(text.front()) && text.back() != '.' &&
         !text.contains("..") && std::ranges::all_of(text, [&](char c) {
           return is_lower(c) || is_digit(c) || c == '_' || (dots && c == '.');
         });
}

std::string read_name(const Node& node, bool dots) {
  std::string name = node.text();
  if (!is_name(name, dots)) {
    node.reject(fmt::format("a name has at most 64 lower-case letters, digits{} underscores, and starts with a letter",
                            dots ? ", dots and" : " and"));
  }
  return name;
}

Arch read_arch(const Node& node, int least) {
  const std::string text = node.text();
  const Expected<Arch> arch = parse_arch(text);
  if (!arch) node.reject(arch.error().text);
  if (arch && arch->sm < least) node.reject(fmt::format("{} is older than min", to_string(*arch)));
  return arch.value_or(Arch{});
}

namespace {

constexpr std::array<std::string_view, 6> taken = {"n", "sms", "kernel", "probe", "passes", "unroll"};

}  // namespace

std::string problem_of_parameter(const std::string& name) {
  if (!is_name(name, false))
    return "a parameter's name has at most 64 lower-case letters, digits and underscores, and starts with a letter";
  const bool known = contains(taken, name);
  return known ? fmt::format("'{}' has a meaning of its own and cannot name a parameter", name) : "";
}

namespace {

// The same as above, in the words of JSON Schema.
constexpr const char* schema_of_scalars = R"json({
  "name": {"type": "string", "pattern": "^[a-z][a-z0-9_]*$", "maxLength": 64},
  "dotted_name": {"type": "string", "pattern": "^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*$", "maxLength": 64},
  "text": {"type": "string", "pattern": "[^\\n]"},
  "parameter": {
    "description": "A parameter of the sweep. It becomes a macro of its name in upper case, so the names that the probe contract uses are taken.",
    "allOf": [{"$ref": "#/definitions/name"}],
    "not": {"enum": ["n", "sms", "kernel", "probe", "passes", "unroll"]}},
  "integer": {"type": "integer", "minimum": -9223372036854775808, "maximum": 9223372036854775807},
  "value": {
    "description": "An integer, or a word that is pasted into PTX and opcode patterns. Quote what YAML would read as neither.",
    "oneOf": [{"$ref": "#/definitions/integer"},
              {"type": "string", "pattern": "^[A-Za-z0-9_.:+-]+$", "maxLength": 64}]},
  "size": {"description": "Bytes, as in 64 MiB.", "type": "string", "pattern": "^(0|[1-9][0-9]*) (B|KiB|MiB|GiB)$"},
  "amount": {"oneOf": [{"type": "integer", "minimum": 1, "maximum": 1099511627776}, {"$ref": "#/definitions/size"}]},
  "powers_of_two": {
    "description": "Every power of two from the first to the last.", "type": "object",
    "properties": {"pow2": {"type": "array", "items": {"enum": []}, "minItems": 2, "maxItems": 2}},
    "additionalProperties": false, "required": ["pow2"]},
  "numbers": {"oneOf": [
    {"$ref": "#/definitions/integer"},
    {"type": "array", "items": {"$ref": "#/definitions/integer"}, "minItems": 1, "uniqueItems": true},
    {"$ref": "#/definitions/powers_of_two"}, {"$ref": "#/definitions/octaves"}]},
  "values": {"oneOf": [
    {"$ref": "#/definitions/value"},
    {"type": "array", "items": {"$ref": "#/definitions/value"}, "minItems": 1, "uniqueItems": true},
    {"$ref": "#/definitions/powers_of_two"}, {"$ref": "#/definitions/octaves"}]},
  "clause": {
    "description": "A condition on a point: every named parameter has one of the listed values.", "type": "object",
    "propertyNames": {"$ref": "#/definitions/parameter"}, "additionalProperties": {"$ref": "#/definitions/values"},
    "minProperties": 1},
  "points": {"type": "array", "minItems": 1, "uniqueItems": true, "items": {
    "description": "One value for each parameter; every point has the same parameters.", "type": "object",
    "propertyNames": {"$ref": "#/definitions/parameter"}, "additionalProperties": {"$ref": "#/definitions/value"},
    "minProperties": 1}},
  "along": {
    "type": "object", "minProperties": 1, "maxProperties": 1,
    "propertyNames": {"allOf": [{"$ref": "#/definitions/parameter"}, {"not": {"enum": ["points", "where", "except"]}}]},
    "additionalProperties": {"$ref": "#/definitions/numbers"}},
  "arch": {"type": "string", "pattern": "^sm_([7-9][0-9]a?|[1-9][0-9][0-9][af]?)$"},
  "opcode": {
    "description": "An opcode with a subset of its modifiers: HMMA.16816.F32 matches HMMA.16816.F32.BF16. {mode} is replaced by the parameter's value, {MODE} by it in upper case.",
    "type": "string",
    "pattern": "^(?=[A-Z{])([A-Za-z0-9_]|\\{[A-Za-z0-9_]+\\})+(\\.([A-Za-z0-9_]|\\{[A-Za-z0-9_]+\\})+)*$"},
  "factor": {"oneOf": [{"$ref": "#/definitions/integer"}, {"$ref": "#/definitions/name"}, {"$ref": "#/definitions/size"}]},
  "product": {
    "description": "A number, a parameter, or a list of those to be multiplied.",
    "oneOf": [{"$ref": "#/definitions/factor"}, {"type": "array", "items": {"$ref": "#/definitions/factor"}, "minItems": 1}]},
  "repeat_product": {
    "description": "A product in which n is the repeat count; an empty list is 1.",
    "oneOf": [{"$ref": "#/definitions/factor"}, {"type": "array", "items": {"$ref": "#/definitions/factor"}}]}
})json";

}  // namespace

YamlSchema schema_of_values() {
  YamlSchema all(schema_of_scalars);
  Json& powers = all.definition("powers_of_two")["properties"]["pow2"]["items"]["enum"];
  for (std::int64_t value = 1; value <= highest; value *= 2) powers.push_back(value);
  static_cast<void>(all.of<Octaves>());
  return all;
}

}  // namespace warpclock
