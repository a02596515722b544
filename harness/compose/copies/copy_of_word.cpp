#include "compose/copies/copy_of_word.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "code/listing.hpp"
#include "compose/copies/banks.hpp"
#include "fields/form_table.hpp"

namespace warpclock {

int number_in(const Body& body, const BlockPlaces& places, BodyRegister reg) {
  return *places[reg.block] + reg.index - body.blocks[reg.block].first;
}

bool meets_written(const Body& body, const BlockPlaces& places, const Block& block, int first) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Block& other = body.blocks[i];
    if (!places[i] || !other.written || other.file != block.file) continue;
    if (*places[i] < first + block.registers && first < *places[i] + other.registers) return true;
  }
  return false;
}

bool meets_result(const Body& body, const BlockPlaces& places, std::size_t operand, const Block& block, int first) {
  return std::ranges::any_of(body.results, [&](const auto& result) {
    const auto& [element, registers] = result;
    if (element.first != operand || body.blocks[registers.front().block].file != block.file) return false;
    return std::ranges::any_of(registers, [&](BodyRegister reg) {
      const int number = number_in(body, places, reg);
      return first <= number && number < first + block.registers;
    });
  });
}

Expected<Copy> copy_of(const Body& body, const BodyWord& word, const BlockPlaces& places, const BlockPlaces& again) {
  Copy copy;
  copy.word = word.word;
  Skeleton meant = skeleton_of((word.instruction.predicate.empty() ? "" : "@" + word.instruction.predicate + " ") +
                               word.instruction.text);
  // Some words cannot ask for all three of their operands to be kept, and two leave nothing to wait for.
  constexpr int most_kept = 2;
  int reused = 0;
  for (std::size_t i = 0; i < word.numerals.size(); ++i) {
    if (!word.numerals[i]) continue;
    const int number = number_in(body, places, *word.numerals[i]);
    copy.word = WARPCLOCK_TRY(with_number(*word.form, copy.word, i, number));
    const bool reuse = word.form->fields[i].reuse.has_value();
    const bool kept =
        reuse && !again.empty() && again[word.numerals[i]->block] && waits_for_banks(body, word) && reused < most_kept;
    reused += kept ? 1 : 0;
    if (reuse) copy.word = WARPCLOCK_TRY(with_reuse(*word.form, copy.word, i, kept));
    meant.numerals[i].reuse = kept;
    meant.numerals[i].value = number;
  }
  const std::string text = text_of(meant);
  const auto instruction = parse_instruction(text);
  if (!instruction) return fail("compose", fmt::format("'{}' is no instruction", text));
  copy.key = key_of(meant);
  copy.effects = effects_of(*instruction);
  const Control control = decode_control(word.word.high);
  copy.write_scoreboard = control.write_barrier >= 0;
  copy.read_scoreboard = control.read_barrier >= 0;
  copy.keeps_order = true;
  copy.waits_for_all = word.waits_for_all;
  copy.no_stall = word.no_stall;
  return copy;
}

}  // namespace warpclock
