#include "execute/forms/semantics.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace warpclock {
namespace {

bool has_word(std::string_view words, std::string_view word) {
  for (const auto part : std::views::split(words, ' ')) {
    if (std::string_view(part.begin(), part.end()) == word) return true;
  }
  return false;
}

bool fits(const SemanticsRow& row, const Instruction& instruction, std::string_view opcode) {
  if (row.opcode != opcode) return false;
  for (const auto part : std::views::split(row.needs, ' ')) {
    const std::string_view word(part.begin(), part.end());
    if (!word.empty() && std::ranges::find(instruction.modifiers, word) == instruction.modifiers.end()) return false;
  }
  return std::ranges::all_of(instruction.modifiers, [&](const std::string& word) {
    return has_word(row.needs, word) || has_word(row.allows, word);
  });
}

const SemanticsRow* find(const Instruction& instruction, std::string_view opcode) {
  for (const auto forms : {integer_forms(), packed_integer_forms(), bit_forms(), logic_forms(), move_forms(),
                           float_forms(), half_forms(), conversion_forms(), warp_forms(), matrix_forms()}) {
    for (const SemanticsRow& row : forms) {
      if (fits(row, instruction, opcode)) return &row;
    }
  }
  return nullptr;
}

}  // namespace

const SemanticsRow* semantics_of(const Instruction& instruction, std::size_t words, std::size_t predicates) {
  const std::string_view opcode = instruction.opcode;
  const SemanticsRow* row = find(instruction, opcode);
  if (row == nullptr && opcode == "VOTEU") row = find(instruction, "VOTE");
  if (row == nullptr && opcode == "S2UR") row = find(instruction, "S2R");
  if (row == nullptr && opcode.starts_with('U')) row = find(instruction, opcode.substr(1));
  return row != nullptr && words >= row->words && predicates >= row->predicates && words <= 6 ? row : nullptr;
}

const Words& StepSources::raw(std::size_t i) const {
  const WordSource& source = step_.words[i];
  return source.kind == WordSource::Kind::Register ? registers_.words[source.place] : registers_.pool[source.number];
}

const Words& StepSources::high(std::size_t i) const {
  const WordSource& source = step_.words[i];
  return source.kind == WordSource::Kind::Register ? registers_.words[places::word_of(source.place, 1)]
                                                   : registers_.pool[source.number + 1];
}

LaneMask StepSources::known_high(std::size_t i) const {
  const WordSource& source = step_.words[i];
  if (source.kind == WordSource::Kind::Register) return registers_.known[places::word_of(source.place, 1)];
  return registers_.known_pool[source.number + 1] ? all_lanes : 0;
}

const Words& StepSources::word(std::size_t i) {
  const Words& from = raw(i);
  const WordSource& source = step_.words[i];
  if (!source.changed()) return from;
  Words& to = changed_[i];
  to = from;
  if (source.absolute)
    for (auto& one : to.lane) one = static_cast<std::int32_t>(one) < 0 ? 0 - one : one;
  if (source.inverted)
    for (auto& one : to.lane) one = ~one;
  if (source.negative)
    for (auto& one : to.lane) one = 0 - one;
  return to;
}

const Words& StepSources::real(std::size_t i) {
  const Words& from = raw(i);
  const WordSource& source = step_.words[i];
  if (!source.changed()) return from;
  constexpr std::uint32_t sign = 0x80000000;
  Words& to = changed_[i];
  to = from;
  if (source.absolute)
    for (auto& one : to.lane) one &= ~sign;
  if (source.negative)
    for (auto& one : to.lane) one ^= sign;
  return to;
}

LaneMask StepSources::predicate(std::size_t i) const {
  const PredicateSource& source = step_.predicates[i];
  const LaneMask held = registers_.predicates[source.place];
  return source.inverted ? ~held : held;
}

LaneMask StepSources::known_predicate(std::size_t i) const {
  return registers_.known_predicates[step_.predicates[i].place];
}

LaneMask StepSources::known(std::size_t i) const {
  const WordSource& source = step_.words[i];
  if (source.kind == WordSource::Kind::Register) return registers_.known[source.place];
  return source.kind == WordSource::Kind::Special || registers_.known_pool[source.number] ? all_lanes : 0;
}

Words StepSources::constant(std::size_t i, std::uint32_t offset, LaneMask& known) const {
  const Words& address = raw(i);
  return words_of_lanes([&](std::size_t lane) {
    const std::uint32_t at = (address[lane] + step_.table_offset + offset) / register_bytes;
    const std::uint32_t number = step_.table + at;
    if (at < step_.table_words && registers_.known_pool[number]) return registers_.pool[number][lane];
    known &= ~(LaneMask{1} << lane);
    return 0U;
  });
}

Words StepSources::special(SpecialRegister which) const {
  const std::uint32_t x = place_.threads[0], y = place_.threads[1];
  const auto thread = [&](std::size_t lane) {
    return place_.warp * static_cast<std::uint32_t>(warp_lanes) + static_cast<std::uint32_t>(lane);
  };
  const auto bits = [](auto of) {
    return words_of_lanes([&](std::size_t lane) { return of(std::uint32_t{1} << lane); });
  };
  switch (which) {
    case SpecialRegister::TidX:
      return words_of_lanes([&](std::size_t lane) { return thread(lane) % x; });
    case SpecialRegister::TidY:
      return words_of_lanes([&](std::size_t lane) { return thread(lane) / x % y; });
    case SpecialRegister::TidZ:
      return words_of_lanes([&](std::size_t lane) { return thread(lane) / x / y; });
    case SpecialRegister::CtaX:
    case SpecialRegister::CtaY:
    case SpecialRegister::CtaZ:
      return same_words(
          place_.block[static_cast<std::size_t>(which) - static_cast<std::size_t>(SpecialRegister::CtaX)]);
    case SpecialRegister::GridX:
    case SpecialRegister::GridY:
    case SpecialRegister::GridZ:
      return same_words(
          place_.grid[static_cast<std::size_t>(which) - static_cast<std::size_t>(SpecialRegister::GridX)]);
    case SpecialRegister::Lane:
      return words_of_lanes([](std::size_t lane) { return static_cast<std::uint32_t>(lane); });
    case SpecialRegister::LanesEqual:
      return bits([](std::uint32_t bit) { return bit; });
    case SpecialRegister::LanesLess:
      return bits([](std::uint32_t bit) { return bit - 1; });
    case SpecialRegister::LanesLessEqual:
      return bits([](std::uint32_t bit) { return bit | (bit - 1); });
    case SpecialRegister::LanesGreater:
      return bits([](std::uint32_t bit) { return ~(bit | (bit - 1)); });
    case SpecialRegister::LanesGreaterEqual:
      return bits([](std::uint32_t bit) { return ~(bit - 1); });
    case SpecialRegister::ClusterRank:
      return same_words(place_.cluster_rank);
    case SpecialRegister::SharedWindow:
      return same_words(shared_window);
    case SpecialRegister::Zero:
    case SpecialRegister::Unknown:
      break;
  }
  return same_words(0);
}

}  // namespace warpclock
