#include "compose/copies/known_forms.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/lookup.hpp"

namespace warpclock {
namespace {

/// The name without what does not change how long the instruction takes.
std::string timing_name(const Instruction& instruction) {
  constexpr std::array<std::string_view, 6> same{"FTZ", "RM", "RN", "RP", "RZ", "SAT"};
  std::string name = instruction.opcode;
  for (const std::string& modifier : instruction.modifiers) {
    if (std::ranges::find(same, modifier) == same.end()) name += "." + modifier;
  }
  return name;
}

}  // namespace

KnownForms::KnownForms(const FormTable& table, const FormTimesByKey& times)
    : table_(table), times_(times), movers_(movers_among(table.all())) {
  for (const WordForm& form : table.all()) {
    if (!form.encoded || decode_control(form.word.high).write_barrier >= 0) continue;
    const auto instruction = parse_instruction(text_of(form.skeleton));
    if (!instruction) continue;
    const auto [at, fresh] = ready_.try_emplace(timing_name(*instruction), *form.encoded);
    if (!fresh) at->second = std::min(at->second, *form.encoded);
  }
}

int KnownForms::ready(const Instruction& instruction) const {
  constexpr int unknown = 15;
  return value_or(ready_, timing_name(instruction), unknown);
}

const FormTimes* KnownForms::times(const WordForm& form) const {
  const auto at = times_.find(key_of(form));
  return at == times_.end() ? nullptr : &at->second;
}

}  // namespace warpclock
