#include "ptx/catalogue/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/text.hpp"
#include "ptx/form.hpp"
#include "ptx/types.hpp"

namespace warpclock {
namespace {

/// The first of the types that the opcode calls alike, or the word itself.
std::string type_spelled(const std::string& modifier, const OpcodeRow* row) {
  if (row == nullptr) return modifier;
  for (const std::string& alike : row->alike) {
    const std::vector<std::string> types = split(alike, '|');
    if (std::ranges::find(types, modifier) != types.end()) return types.front();
  }
  return modifier;
}

/// 31 of "0x1f"; the mask of a whole warp is -1. Floats stay as they are.
std::string constant_spelled(std::string_view text, bool masked) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const auto value = whole_number<std::uint64_t>(hex ? text.substr(2) : text, hex ? 16 : 10);
  if (!value) return std::string(text);
  return masked && *value == 0xffffffff ? "-1" : std::to_string(*value);
}

/// Writes the operands of one line, and numbers their registers in the order of first mention.
class SpelledLine {
 public:
  SpelledLine(const PtxLine& line, const OpcodeTable& table, Spelled in) : line_(line), in_(in) {
    if (const auto row = choose_row(line, table)) row_ = *row;
    masked_ = std::ranges::find(line.modifiers, "sync") != line.modifiers.end();
  }

  std::string text() {
    std::string text;
    if (!line_.guard.empty() && in_ == Spelled::Names)
      text = fmt::format("@{}{} ", line_.guard_negated ? "!" : "", number(line_.guard));
    text += line_.opcode;
    for (const std::string& modifier : line_.modifiers) text += modifier_text(modifier);
    for (std::size_t i = 0; i < line_.operands.size(); ++i) text += (i == 0 ? " " : ", ") + term(line_.operands[i]);
    return text;
  }

 private:
  std::string modifier_text(const std::string& modifier) const {
    if (in_ != Spelled::Names && modifier == "weak") return {};
    return "." + (modifier == "shared::cta" ? "shared"
                  : in_ == Spelled::Names   ? modifier
                                            : type_spelled(modifier, row_));
  }

  std::string number(const std::string& name) {
    const auto [bare, rest] = parted(name);
    const auto found = std::ranges::find(names_, bare);
    const std::size_t at = static_cast<std::size_t>(found - names_.begin());
    if (found == names_.end()) names_.push_back(bare);
    return fmt::format("${}{}", at, rest);
  }

  /// "d" and ".b0"
  static std::pair<std::string, std::string> parted(const std::string& name) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    return {name.substr(0, dot), name.substr(dot)};
  }

  std::string all(const std::vector<PtxTerm>& items, std::string_view between) {
    std::string text;
    for (const PtxTerm& item : items) text += (text.empty() ? "" : std::string(between)) + term(item);
    return text;
  }

  std::string term(const PtxTerm& term) { return (term.negated ? "!" : "") + positive(term); }

  std::string positive(const PtxTerm& term) {
    switch (term.kind) {
      case PtxTerm::Kind::Name:
        return is_special_register(term.text) ? term.text : register_text(term.text);
      case PtxTerm::Kind::Placeholder:
        return register_text(term.text);
      case PtxTerm::Kind::Immediate:
        return !any_constant() ? constant_spelled(term.text, masked_) : in_ == Spelled::Constants ? "#" : "_";
      case PtxTerm::Kind::Vector:
        return "{" + all(term.items, ", ") + "}";
      case PtxTerm::Kind::Address:
        return "[" + all(term.items, ", ") + (in_ == Spelled::Names ? term.offset : "") + "]";
      case PtxTerm::Kind::Pair:
        return all(term.items, "|");
      case PtxTerm::Kind::Sink:
        break;
    }
    return "_";
  }

  std::string register_text(const std::string& name) { return in_ == Spelled::Operands ? "_" : number(name); }

  /// The constant of an asynchronous copy is its size, which decides the machine instruction.
  [[nodiscard]] bool any_constant() const {
    return in_ >= Spelled::Constants && row_ != nullptr && row_->kind != "async";
  }

  const PtxLine& line_;
  const Spelled in_;
  const OpcodeRow* row_ = nullptr;
  bool masked_ = false;
  std::vector<std::string> names_;
};

}  // namespace

std::string spelling_of(const PtxLine& line, const OpcodeTable& table, Spelled in) {
  return SpelledLine(line, table, in).text();
}

}  // namespace warpclock
