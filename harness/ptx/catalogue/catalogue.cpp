#include "ptx/catalogue/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "plan/config/scope.hpp"
#include "plan/config/stanza.hpp"
#include "plan/sweep.hpp"
#include "ptx/catalogue/guide.hpp"
#include "ptx/describe.hpp"
#include "ptx/line.hpp"
#include "ptx/opcodes.hpp"

namespace warpclock {
namespace {

/// The terms between the commas outside all brackets.
std::vector<std::string> terms_of(const std::string& ptx) {
  std::vector<std::string> terms;
  const std::size_t blank = ptx.find(' ');
  if (blank == std::string::npos) return terms;
  int depth = 0;
  std::string term;
  for (const char c : ptx.substr(blank + 1)) {
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      terms.push_back(std::move(term));
      term.clear();
    } else if (c != ' ') {
      term += c;
    }
  }
  terms.push_back(std::move(term));
  return terms;
}

bool is_bare(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

/// Whether the term is "{a}" or "[{a}]": a plain register, which is not mentioned.
bool is_plain(std::string_view term) {
  if (term.starts_with("[{") && term.ends_with("}]")) term = term.substr(1, term.size() - 2);
  return term.starts_with('{') && term.ends_with('}') && is_bare(term.substr(1, term.size() - 2));
}

/// "{p}|{q}" -> "p|q", "{{a},{b}}" -> "{a,b}"
std::string shown(const std::string& term) {
  std::string text;
  for (std::size_t i = 0; i < term.size(); ++i) {
    const std::size_t close = term.find('}', i);
    if (term[i] == '{' && close != std::string::npos && is_bare(term.substr(i + 1, close - i - 1))) {
      text += term.substr(i + 1, close - i - 1);
      i = close;
    } else {
      text += term[i];
    }
  }
  return text;
}

using Terms = std::vector<std::string>;

/// The terms in which one member of a group differs.
std::vector<std::string> remarks(const Terms& terms, const std::vector<Terms>& group) {
  std::vector<std::string> remarks;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool in_all = std::ranges::all_of(group, [&](const Terms& other) { return i < other.size(); });
    const bool equal = in_all && std::ranges::all_of(group, [&](const Terms& other) { return other[i] == terms[i]; });
    if (!equal && (!in_all || !is_plain(terms[i]))) remarks.push_back(shown(terms[i]));
  }
  return remarks;
}

/// "setp.lt.s32 {p}|{q}, {a}" -> "setp.lt.s32"
std::string mnemonic_of(const std::string& ptx) { return ptx.substr(0, ptx.find(' ')); }

}  // namespace

std::vector<std::string> names_of(const std::vector<Form>& forms) {
  std::map<std::string, std::vector<Terms>> groups;
  for (const Form& form : forms) groups[mnemonic_of(form.ptx)].push_back(terms_of(form.ptx));

  std::vector<std::string> names;
  for (const Form& form : forms) {
    std::string name = mnemonic_of(form.ptx);
    std::vector<std::string> suffix = remarks(terms_of(form.ptx), groups[name]);
    for (const auto& [operand, choice] : form.choices.operands) suffix.push_back(operand + "=" + choice);
    for (const auto& [operand, choice] : form.choices.values) suffix.push_back(operand + "=" + choice);
    if (!suffix.empty()) name += fmt::format("[{}]", join(suffix, ","));
    names.push_back(std::move(name));
  }
  return names;
}

namespace {

constexpr std::array<std::string_view, 5> own_keys = {"ptx", "needs", "operands", "values", "except"};

bool is_own(std::string_view key) { return contains(own_keys, key); }

/// The names in braces without duplicates: "{{a}, {b}}" gives a and b.
std::vector<std::string> placeholders(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find_first_of("{}", open + 1);
    if (close == std::string_view::npos || text[close] != '}') continue;
    std::string name(text.substr(open + 1, close - open - 1));
    if (is_name(name) && !contains(names, name)) names.push_back(std::move(name));
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
      if (contains(axis->values, value)) continue;
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
    if (!contains(operands, name)) entry.reject(fmt::format("unknown operand '{}'{}", name, hint(name, operands)));
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

/// Reads an entry; errors go to the node's document. Every key must be a key of the format or a {word} of the line. So
/// a word that is not in the line, and a mistyped key, are reported as unknown keys.
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
  node.check_keys(keys);
  const Node& ptx = line->second;
  for (const auto& [key, entry] : entries) {
    if (!node.failed() && !is_own(key)) result.sweep.axes.push_back({key, read_sweep_words(entry)});
  }
  std::vector<std::string> operands;
  for (const std::string& name : names) {
    if (!node.find(name) || is_own(name)) operands.push_back(name);
  }
  const std::size_t blank = result.ptx.find(' ');
  for (const std::string& name : placeholders(std::string_view(result.ptx).substr(0, blank))) {
    if (contains(operands, name)) ptx.reject(fmt::format("no key says what '{{{}}}' can be", name));
  }
  if (const auto at = node.find("needs")) YamlArchive::read(*at, result.needs, Why::Optional);
  if (const auto at = node.find("operands")) result.choices.operands = read_choices(*at, operands, nullptr);
  if (const auto at = node.find("values")) result.choices.values = read_choices(*at, operands, &value_names());
  if (node.failed()) return result;
  if (const Expected<std::vector<Parameters>> whole = expand(result.sweep); !whole) node.reject(whole.error().text);
  if (const auto at = node.find("except")) read_exceptions(*at, result);
  return result;
}

}  // namespace

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

namespace {

constexpr std::string_view table_name = "instructions/opcodes.yaml";

/// An error of describe() gives a position in the expanded line. The user only sees the template, so both are shown.
void reject(const Node& ptx, const std::string& line, const Error& error) {
  const std::string at = error.place.empty() ? "" : fmt::format(" (at {} of the line)", error.place);
  ptx.reject(fmt::format("'{}': {}{}", line, error.text, at));
}

/// Appends the entries to which one template expands.
void read_entries(const Node& item, const OpcodeTable& table, const std::string& family,
                  std::vector<CatalogueEntry>& entries, std::vector<Form>& forms) {
  const PtxTemplate ptx_template = read_ptx_template(item);
  if (item.failed()) return;
  const Expected<std::vector<std::string>> lines = expand(ptx_template);
  if (!lines) return item.reject(lines.error().text);
  const std::vector<std::pair<std::string, Node>> keys = item.entries();
  const Node& ptx = std::ranges::find(keys, "ptx", &std::pair<std::string, Node>::first)->second;
  for (const std::string& line : *lines) {
    const Expected<PtxLine> parsed = parse_ptx(line);
    if (!parsed) return reject(ptx, line, parsed.error());
    Expected<PtxInstruction> instruction = describe(*parsed, table, ptx_template.choices);
    if (!instruction) return reject(ptx, line, instruction.error());
    entries.push_back({"", family, line, std::move(*instruction), ptx_template.needs, ptx_template.place});
    forms.push_back({line, ptx_template.choices});
  }
}

/// A file of configs/instructions.
struct InstructionFamily {
  std::string family;
  std::vector<CatalogueEntry> entries;
  std::vector<Form> forms;  ///< of the entries
  std::vector<LeftOut> left_out;
};

}  // namespace

void describe(YamlArchive& a, LeftOut& v) { WARPCLOCK_REQUIRED(what, why); }

void describe(YamlArchive& a, InstructionFamily& v, const OpcodeTable& table,
              std::map<std::string, std::string>& families) {
  const auto new_family = [&](const Node& node, const std::string& family) {
    const auto [first, fresh] = families.emplace(family, node.place());
    if (!fresh) node.reject(fmt::format("family '{}' is given twice (first at {})", family, first->second));
  };
  const auto entries = yaml::custom([&](const Node& node) {
    for (const Node& item : node.items())
      if (!node.failed()) read_entries(item.rebased(), table, v.family, v.entries, v.forms);
    return std::move(v.entries);
  });
  a.required("family", v.family, yaml::checked(yaml::name(), new_family));
  a.required("instructions", v.entries, entries);
  WARPCLOCK_OPTIONAL(left_out);
}

namespace {

Expected<void> load_family(const std::string& path, const std::string& text, const OpcodeTable& table,
                           std::map<std::string, std::string>& families, Catalogue& catalogue) {
  auto file = WARPCLOCK_TRY(read_yaml<InstructionFamily>(path, text, yaml::with(table, families)));
  auto& [family, entries, forms, left_out] = file;
  std::ranges::move(left_out, std::back_inserter(catalogue.left_out));
  const std::vector<std::string> names = names_of(forms);
  std::map<std::string, std::string> places;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].id = family + "/" + names[i];
    const auto [other, unique] = places.emplace(entries[i].id, entries[i].place);
    if (!unique) {
      return fail("config", fmt::format("'{}' is given twice (first at {})", entries[i].id, other->second),
                  entries[i].place);
    }
    catalogue.entries.push_back(std::move(entries[i]));
  }
  return {};
}

}  // namespace

Expected<Catalogue> load_catalogue(const std::map<std::string, std::string>& configs) {
  std::map<std::string, std::string> files;
  const std::pair<const std::string, std::string>* table_file = nullptr;
  for (const auto& file : configs) {
    if (!file.first.contains("instructions/") || is_guide(file.first)) continue;
    if (file.first.ends_with(table_name)) {
      table_file = &file;
    } else {
      files.insert(file);
    }
  }
  if (table_file == nullptr) return fail("config", fmt::format("there is no {}", table_name));
  const auto table = WARPCLOCK_TRY(load_opcodes(table_file->first, table_file->second));

  Catalogue catalogue;
  std::map<std::string, std::string> families;
  for (const auto& [path, text] : files) WARPCLOCK_TRY(load_family(path, text, table, families, catalogue));
  return catalogue;
}

}  // namespace warpclock
