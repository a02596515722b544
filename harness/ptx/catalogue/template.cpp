#include "ptx/catalogue/template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/hint.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "plan/config/scope.hpp"
#include "plan/config/stanza.hpp"
#include "plan/sweep.hpp"

namespace warpclock {
namespace {

constexpr std::array<std::string_view, 5> own_keys = {"ptx", "needs", "operands", "values", "except"};

bool is_own(std::string_view key) { return std::ranges::find(own_keys, key) != own_keys.end(); }

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// The names in braces without duplicates: "{{a}, {b}}" gives a and b.
std::vector<std::string> placeholders(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find_first_of("{}", open + 1);
    if (close == std::string_view::npos || text[close] != '}') continue;
    std::string name(text.substr(open + 1, close - open - 1));
    if (is_name(name) && !holds(names, name)) names.push_back(std::move(name));
  }
  return names;
}

/// A modifier, a number, a special register: "", ".sat", "L2::128B", "0x1f", "%tid.x", 16.
Value read_sweep_word(const Node& node) {
  if (node.is_empty_text()) return std::string();
  Value value = node.value();
  const auto* word = std::get_if<std::string>(&value);
  const bool plain = word == nullptr || std::ranges::all_of(*word, [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                              c == ':' || c == '_' || c == '%';
                     });
  if (!plain) node.reject(fmt::format("'{}' is not part of a PTX instruction's name", *word));
  return value;
}

std::vector<Value> read_sweep_words(const Node& node) { return mapped(node.items_or_self(), read_sweep_word); }

Clause read_exception(const Node& node, const std::vector<Axis>& axes) {
  const auto names = mapped(axes, &Axis::name);
  Clause clause;
  for (const auto& [name, entry] : node.entries()) {
    const auto axis = std::ranges::find(axes, name, &Axis::name);
    if (axis == axes.end()) {
      entry.reject(fmt::format("unknown word '{}'{}", name, hint(name, names)));
      break;
    }
    clause.any_of.push_back({name, read_sweep_words(entry)});
    for (const Value& value : clause.any_of.back().values) {
      if (std::ranges::find(axis->values, value) != axis->values.end()) continue;
      const auto known = mapped(axis->values, [](const auto& each) { return to_string(each); });
      entry.reject(fmt::format("'{}' is never '{}'{}", name, to_string(value), hint(to_string(value), known)));
    }
  }
  return clause;
}

/// `{b: "imm:3"}`: operands of the line, with the choice for each.
std::map<std::string, std::string> read_choices(const Node& node, const std::vector<std::string>& operands,
                                                const std::vector<std::string>* allowed) {
  std::map<std::string, std::string> choices;
  for (const auto& [name, entry] : node.entries()) {
    if (!holds(operands, name)) entry.reject(fmt::format("unknown operand '{}'{}", name, hint(name, operands)));
    choices[name] = allowed != nullptr ? entry.word(*allowed) : entry.text();
  }
  return choices;
}

void read_exceptions(const Node& node, PtxTemplate& result) {
  for (const Node& item : node.items()) {
    result.sweep.except.push_back(read_exception(item, result.sweep.axes));
    if (node.failed()) return;
    Sweep only = result.sweep;
    only.except.clear();
    only.where = {result.sweep.except.back()};
    if (!expand(only)) item.reject("this excepts nothing");
  }
}

}  // namespace

PtxTemplate read_ptx_template(const Node& node) {
  PtxTemplate result;
  const std::vector<std::pair<std::string, Node>> entries = node.entries();
  const auto line = std::ranges::find(entries, "ptx", &std::pair<std::string, Node>::first);
  // Before the other keys, which are known only from the line.
  if (line == entries.end()) {
    node.reject("missing key 'ptx'");
    return result;
  }
  result.ptx = line->second.text();
  result.place = line->second.place();
  const std::vector<std::string> names = placeholders(result.ptx);
  std::vector<std::string> keys(own_keys.begin(), own_keys.end());
  for (const std::string& name : names) {
    if (!is_own(name)) keys.push_back(name);
  }
  const Fields fields = node.fields(keys);
  const Node ptx = fields.get("ptx");
  for (const auto& [key, entry] : entries) {
    if (!node.failed() && !is_own(key)) result.sweep.axes.push_back({key, read_sweep_words(entry)});
  }
  std::vector<std::string> operands;
  for (const std::string& name : names) {
    if (!fields.has(name) || is_own(name)) operands.push_back(name);
  }
  const std::size_t blank = result.ptx.find(' ');
  for (const std::string& name : placeholders(std::string_view(result.ptx).substr(0, blank))) {
    if (holds(operands, name)) ptx.reject(fmt::format("no key says what '{{{}}}' can be", name));
  }
  if (const auto at = fields.find("needs")) result.needs = read_needs(*at, Why::Optional);
  if (const auto at = fields.find("operands")) result.choices.operands = read_choices(*at, operands, nullptr);
  if (const auto at = fields.find("values")) result.choices.values = read_choices(*at, operands, &value_names());
  if (node.failed()) return result;
  if (const Expected<std::vector<Parameters>> whole = expand(result.sweep); !whole) node.reject(whole.error().text);
  if (const auto at = fields.find("except")) read_exceptions(*at, result);
  return result;
}

Expected<std::vector<std::string>> expand(const PtxTemplate& ptx_template) {
  const auto points = WARPCLOCK_TRY(expand(ptx_template.sweep));
  std::vector<std::string> all;
  for (const Parameters& point : points) {
    std::string line = ptx_template.ptx;
    for (const auto& [name, word] : point) line = replace_all(line, "{" + name + "}", to_string(word));
    all.push_back(std::move(line));
  }
  return all;
}

}  // namespace warpclock
