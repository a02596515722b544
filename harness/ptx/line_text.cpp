#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "ptx/line.hpp"

namespace warpclock {
namespace {

std::string to_text(const PtxTerm& term);

std::string joined(std::span<const PtxTerm> items) { return join(mapped(items, to_text), ", "); }

std::string to_text(const PtxTerm& term) {
  const std::string bang = term.negated ? "!" : "";
  switch (term.kind) {
    case PtxTerm::Kind::Name:
    case PtxTerm::Kind::Immediate:
      return bang + term.text;
    case PtxTerm::Kind::Placeholder: {
      const std::size_t dot = std::min(term.text.find('.'), term.text.size());
      return fmt::format("{}{{{}}}{}", bang, term.text.substr(0, dot), term.text.substr(dot));
    }
    case PtxTerm::Kind::Vector:
      return "{" + joined(term.items) + "}";
    case PtxTerm::Kind::Address: {
      const std::span<const PtxTerm> items = term.items;
      std::string text = "[" + joined(items.first(std::min<std::size_t>(1, items.size()))) + term.offset;
      if (items.size() > 1) text += ", " + joined(items.subspan(1));
      return text + "]";
    }
    case PtxTerm::Kind::Pair:
      return term.items.size() == 2 ? to_text(term.items[0]) + "|" + to_text(term.items[1]) : "";
    case PtxTerm::Kind::Sink:
      break;
  }
  return "_";
}

}  // namespace

std::string PtxLine::mnemonic() const {
  std::string text = opcode;
  for (const std::string& modifier : modifiers) text += "." + modifier;
  return text;
}

std::string to_string(const PtxLine& line) {
  std::string text;
  if (!line.guard.empty()) {
    text = fmt::format("@{}{} ", line.guard_negated ? "!" : "",
                       line.guard.starts_with('%') ? line.guard : "{" + line.guard + "}");
  }
  text += line.mnemonic();
  if (!line.operands.empty()) text += " " + joined(line.operands);
  return text;
}

}  // namespace warpclock
