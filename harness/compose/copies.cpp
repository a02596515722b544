#include "compose/copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "build/listing.hpp"
#include "build/semantics.hpp"

namespace warpclock {
namespace {

constexpr int quad_registers = 4, most_chain_scoreboards = 5;

std::unexpected<Error> impossible(const WordForm& form, std::string_view why) {
  return fail("compose", fmt::format("'{}' {}", text_of(form.skeleton), why));
}

/// Where the registers of a form go.
struct Places {
  std::vector<std::size_t>
      chained;  ///< numerals that have the chain's quad: the result, and the source that it goes through
  std::vector<std::size_t> constant;  ///< numerals that have a quad each
  bool scoreboard = false;
};

Expected<Places> places_of(const WordForm& form, const std::optional<int>& through) {
  const auto instruction = parse_instruction(text_of(form.skeleton));
  if (!instruction) return impossible(form, "is no instruction");
  const Effects effects = effects_of(*instruction);
  const int results = static_cast<int>(instruction->operands.size() - effects.sources.size());
  Places places;
  places.scoreboard = decode_control(form.word.high).write_barrier >= 0;
  for (std::size_t numeral = 0; numeral < form.skeleton.numerals.size(); ++numeral) {
    const Numeral& one = form.skeleton.numerals[numeral];
    if (one.last || (one.kind != Numeral::Kind::Register && one.kind != Numeral::Kind::UniformRegister)) continue;
    const std::string& operand = instruction->operands[static_cast<std::size_t>(one.operand)];
    if (one.kind == Numeral::Kind::UniformRegister) return impossible(form, "has a uniform register");
    if (operand.find('[') != operand.npos) return impossible(form, "has an address");
    const int source = one.operand - results;
    const auto span = source < 0 ? std::ranges::count(effects.writes, RegisterFile::Vector, &Register::file)
                                 : std::ssize(effects.sources[static_cast<std::size_t>(source)]);
    if (span > quad_registers) return impossible(form, fmt::format("has {} registers in one operand", span));
    const bool chained = source < 0 || (through && *through == source);
    (chained ? places.chained : places.constant).push_back(numeral);
  }
  const auto goes_through = [&](std::size_t numeral) {
    return form.skeleton.numerals[numeral].operand - results == through;
  };
  if (through && std::ranges::none_of(places.chained, goes_through)) {
    return impossible(form, fmt::format("has no register in source {}", *through));
  }
  return places;
}

}  // namespace

Expected<std::vector<Word>> compose_copies(const WordForm& form, std::span<const int> quads, const CopyPlan& copies) {
  const auto places = places_of(form, copies.through);
  if (!places) return std::unexpected(places.error());
  const auto chains = static_cast<std::size_t>(copies.chains);
  if (chains + places->constant.size() > quads.size()) {
    return impossible(form, fmt::format("finds no room in {} quads for {} chains", quads.size(), chains));
  }
  Expected<Word> base = form.word;
  const auto set = [&](Expected<Word>& word, std::size_t numeral, int quad) {
    if (word) word = with_number(form, *word, numeral, quad);
    if (word && form.fields[numeral].reuse) word = with_reuse(form, *word, numeral, false);
  };
  for (std::size_t i = 0; i < places->constant.size(); ++i) set(base, places->constant[i], quads[chains + i]);
  if (!base) return std::unexpected(base.error());
  std::vector<Word> words;
  for (int i = 0; i < copies.n; ++i) {
    const int chain = i % copies.chains;
    Expected<Word> word = base;
    for (const std::size_t numeral : places->chained) set(word, numeral, quads[static_cast<std::size_t>(chain)]);
    if (!word) return std::unexpected(word.error());
    Control control{.stall = copies.stall, .yield = copies.yield};
    if (places->scoreboard) {
      control.write_barrier = chain % most_chain_scoreboards;
      if (copies.through && i >= copies.chains) control.wait_mask = 1U << control.write_barrier;
    }
    words.push_back(with_control(*word, control));
  }
  return words;
}

}  // namespace warpclock
