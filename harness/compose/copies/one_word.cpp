#include "compose/copies/one_word.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

#include "code/semantics.hpp"
#include "fields/form_table.hpp"
#include "verify/instruction/expansion.hpp"

namespace warpclock {

std::vector<std::string> OneWord::forms() const {
  std::vector<std::string> all{form};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::optional<OneWord> one_word_of(const Body& body, const PtxInstruction& instruction) {
  if (body.words.size() != 1) return std::nullopt;
  const BodyWord& word = body.words.front();
  const Effects effects = effects_of(word.instruction);
  const auto results = static_cast<int>(word.instruction.operands.size() - effects.sources.size());
  OneWord one{.form = key_of(*word.form)};
  one.sources.resize(instruction.operands.size());
  for (const auto& [element, registers] : body.sources) {
    std::vector<int>& reading = one.sources[element.first];
    for (std::size_t i = 0; i < word.numerals.size(); ++i) {
      const int source = word.form->skeleton.numerals[i].operand - results;
      if (source < 0 || !word.numerals[i] || std::ranges::find(reading, source) != reading.end()) continue;
      if (std::ranges::find(registers, *word.numerals[i]) != registers.end()) reading.push_back(source);
    }
  }
  for (std::vector<int>& reading : one.sources) std::ranges::sort(reading);
  return one;
}

std::vector<std::string> other_forms(const Listing& listing, const Code& further, const std::string& own) {
  const std::string kind = kind_of(own);
  std::vector<std::string> forms;
  std::set<std::string> seen{own};
  for (const Instruction& one : listing.instructions) {
    const auto copies = further.find({one.name(), kind});
    if (copies == further.end() || copies->second <= 0 || !seen.insert(one.name()).second) continue;
    forms.push_back(key_of(skeleton_of("@PT " + one.text)));
  }
  return forms;
}

}  // namespace warpclock
