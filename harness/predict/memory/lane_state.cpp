#include "predict/memory/lane_state.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "predict/memory/constants.hpp"

namespace warpclock {

std::size_t LaneState::place(Register reg) {
  const auto index = static_cast<std::size_t>(reg.index);
  switch (reg.file) {
    case RegisterFile::Vector:
      return index % names;
    case RegisterFile::Uniform:
      return names + index % names;
    case RegisterFile::Predicate:
      return 2 * names + index % predicates;
    case RegisterFile::UniformPredicate:
      break;
  }
  return 2 * names + predicates + index % predicates;
}

void LaneState::set(Register reg, LaneRef value) {
  const std::size_t at = place(reg);
  registers_[at] = std::move(value);
  std::erase_if(guarded_, [&](const Guarded& one) { return one.place == at || one.guard == at; });
}

void LaneState::set_under(const LaneOperand& guard, Register reg, LaneRef value) {
  guarded_.push_back({place(reg), place(guard.reg), guard.inverted, std::move(value)});
}

LaneState LaneState::under(const LaneOperand& guard) const {
  LaneState made = *this;
  for (const Guarded& one : guarded_) {
    if (one.is_under(guard)) made.registers_[one.place] = one.value;
  }
  return made;
}

bool LaneState::knows_under(const LaneOperand& guard) const {
  return std::ranges::any_of(guarded_, [&](const Guarded& one) { return one.is_under(guard); });
}

bool LaneState::join(const LaneState& other, bool blunt) {
  // What was written under a predicate on one path only is not known on both.
  const auto differs = [&](const Guarded& one) {
    return std::ranges::none_of(other.guarded_, [&](const Guarded& its) {
      return its.place == one.place && its.guard == one.guard && its.inverted == one.inverted &&
             equal_lanes(its.value, one.value);
    });
  };
  bool changed = std::erase_if(guarded_, differs) > 0;
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    if (!registers_[i] || equal_lanes(registers_[i], other.registers_[i])) continue;
    LaneRef both = blunt ? nullptr : joined(other.registers_[i], registers_[i]);
    if (equal_lanes(both, registers_[i])) continue;
    registers_[i] = std::move(both);
    changed = true;
  }
  return changed;
}

namespace {

/// Calls `add` with each term in brackets but RZ, and its part before a period. False if there are no brackets.
template <class F>
bool each_term(std::string_view operand, F add) {
  const std::size_t end = operand.rfind(']'), begin = operand.rfind('[');
  if (begin == operand.npos || end == operand.npos || end < begin) return false;
  std::string_view terms = operand.substr(begin + 1, end - begin - 1);
  while (!terms.empty()) {
    const std::size_t plus = terms.find('+');
    const std::string_view term = terms.substr(0, plus), word = term.substr(0, term.find('.'));
    terms = plus == terms.npos ? std::string_view() : terms.substr(plus + 1);
    if (word != "RZ" && word != "URZ") add(term, word);
  }
  return true;
}

}  // namespace

LaneRef address_of(const std::string& operand, const LaneState& state) {
  LaneRef sum = constant_lanes(0);
  const bool is = each_term(operand, [&](std::string_view term, std::string_view word) {
    LaneRef value;
    if (const auto number = immediate_of(term)) {
      value = constant_lanes(static_cast<std::uint32_t>(*number));
    } else if (const auto reg = parse_register(word)) {
      value = state.at(*reg);
      for (const auto& [suffix, bits] : {std::pair{".X4", 2U}, std::pair{".X8", 3U}, std::pair{".X16", 4U}}) {
        if (term.substr(word.size()).starts_with(suffix)) value = shifted_left(value, bits);
      }
    }
    sum = sum_of(sum, value);
  });
  return is ? sum : nullptr;
}

std::vector<LaneRef> bases_of(const std::string& operand, const LaneState& state) {
  std::vector<LaneRef> bases;
  each_term(operand, [&](std::string_view term, std::string_view word) {
    if (immediate_of(term)) return;
    if (const auto reg = parse_register(word)) bases.push_back(state.at(*reg));
  });
  return bases;
}

LaneRef guard_of(const LaneOperation& operation, const LaneState& state) {
  if (!operation.guard) return constant_lanes(1);
  constexpr unsigned flip = 0x3c;
  const LaneRef& value = state.at(operation.guard->reg);
  return operation.guard->inverted ? bitwise_of(flip, value, constant_lanes(1), constant_lanes(0)) : value;
}

}  // namespace warpclock
