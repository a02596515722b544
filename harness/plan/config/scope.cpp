#include "plan/config/scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "plan/config/scalar.hpp"
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
  std::int64_t count = 0;
  const auto status = std::from_chars(digits.data(), digits.data() + digits.size(), count).ec;
  const auto shift = 10 * (unit - std::begin(units));
  if (status != std::errc{} || count > INT64_MAX >> shift) {
    node.reject(fmt::format("{} bytes do not fit in 64 bits", text));
    return 0;
  }
  return count << shift;
}

Value read_factor(const Node& node, const Scope& scope, Extra extra) {
  Value factor = node.value();
  const auto* name = std::get_if<std::string>(&factor);
  if (name == nullptr || node.failed()) return factor;
  if (name->contains(' ')) return read_size(node, *name);
  std::vector<std::string> known = scope.names();
  if (extra == Extra::Repeat) known.emplace_back("n");
  if (extra == Extra::Sms) known.emplace_back("sms");
  if (std::ranges::find(known, *name) != known.end()) return factor;
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

std::vector<Value> read_powers(const Node& node) {
  constexpr std::int64_t highest = std::int64_t{1} << 40;
  const std::vector<Node> ends = node.fields({"pow2"}).get("pow2").items();
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
std::int64_t read_amount(const Node& node, std::int64_t highest) {
  const Value value = node.value();
  const auto* size = std::get_if<std::string>(&value);
  if (size == nullptr || node.failed()) return node.integer(1, highest);
  const std::int64_t bytes = read_size(node, *size);
  if (!node.failed() && (bytes < 1 || bytes > highest)) {
    node.reject(fmt::format("{} is out of range (1 to {})", bytes, highest));
  }
  return std::max<std::int64_t>(bytes, 1);
}

std::vector<Value> read_octaves(const Node& node) {
  constexpr std::int64_t highest = std::int64_t{1} << 40;
  constexpr std::int64_t most_per_octave = 64;
  const Fields fields = node.fields({"from", "to", "per_octave", "step"});
  const std::int64_t low = read_amount(fields.get("from"), highest);
  const Node to = fields.get("to");
  const std::int64_t high = read_amount(to, highest);
  if (low > high) to.reject(fmt::format("{} is less than {}", high, low));
  const std::int64_t per_octave = fields.get("per_octave").integer(1, most_per_octave);
  const auto at = fields.find("step");
  const std::int64_t step = at ? read_amount(*at, highest) : 1;
  if (node.failed()) return {};
  if (low % step != 0) node.reject(fmt::format("{} is not a multiple of the step", low));
  std::vector<Value> values;
  for (int i = 0; !node.failed(); ++i) {
    const double exact = static_cast<double>(low) * std::exp2(static_cast<double>(i) / static_cast<double>(per_octave));
    const auto value = static_cast<std::int64_t>(std::llround(exact / static_cast<double>(step))) * step;
    if (value > high) break;
    if (values.empty() || std::get<std::int64_t>(values.back()) < value) values.emplace_back(value);
  }
  return values;
}

std::vector<Value> read_range(const Node& node) {
  const auto entries = node.entries();
  const bool powers = std::ranges::any_of(entries, [](const auto& entry) { return entry.first == "pow2"; });
  return powers ? read_powers(node) : read_octaves(node);
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
      if (!item.failed() && std::ranges::find(known, word) == known.end()) {
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
  const auto column = node.kind() != Node::Kind::Scalar || std::ranges::find(allowed, node.text()) != allowed.end()
                          ? scope.columns.end()
                          : std::ranges::find(scope.columns, node.text(), &Axis::name);
  if (column == scope.columns.end()) return node.word(allowed);
  for (const Value& value : column->values) {
    if (std::ranges::find(allowed, to_string(value)) == allowed.end()) {
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

std::vector<Clause> read_clauses(const Node& node, const Scope& scope) {
  return mapped(node.items_or_self(), [&](const Node& item) { return read_clause(item, scope); });
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

}  // namespace warpclock
