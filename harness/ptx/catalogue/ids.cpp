#include "ptx/catalogue/ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "base/text.hpp"

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

}  // namespace

std::string mnemonic_of(const std::string& ptx) { return ptx.substr(0, ptx.find(' ')); }

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

}  // namespace warpclock
