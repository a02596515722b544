#include "compose/movers.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "fields/form_table.hpp"

namespace warpclock {
namespace {

/// The key of a form that moves between these kinds of registers.
struct MoverShape {
  std::string_view key;
  Numeral::Kind to, from;
  Mover Movers::*where;
};
constexpr std::array<MoverShape, 8> mover_shapes{
    {{"@PT MOV R#, R#", Numeral::Kind::Register, Numeral::Kind::Register, &Movers::vector},
     {"@PT R2UR UR#, R#", Numeral::Kind::UniformRegister, Numeral::Kind::Register, &Movers::to_uniform},
     {"@PT MOV R#, UR#", Numeral::Kind::Register, Numeral::Kind::UniformRegister, &Movers::from_uniform},
     {"@PT IMAD.U32 R#, RZ, RZ, UR#", Numeral::Kind::Register, Numeral::Kind::UniformRegister, &Movers::from_uniform},
     {"@PT ISETP.GE.AND P#, PT, R#, RZ, PT", Numeral::Kind::Predicate, Numeral::Kind::Register, &Movers::to_predicate},
     {"@PT SEL R#, R#, RZ, P#", Numeral::Kind::Register, Numeral::Kind::Predicate, &Movers::from_predicate},
     {"@PT PLOP3.LUT P#, PT, PT, PT, UP#, #, #", Numeral::Kind::Predicate, Numeral::Kind::UniformPredicate,
      &Movers::from_uniform_predicate},
     {"@PT UISETP.NE.AND UP#, UPT, UR#, URZ, UPT", Numeral::Kind::UniformPredicate, Numeral::Kind::UniformRegister,
      &Movers::to_uniform_predicate}}};

constexpr std::array<std::string_view, 5> adder_keys{"@PT IADD3 R#, R#, R#, RZ", "@PT IADD3 R#, PT, PT, R#, R#, RZ",
                                                     "@PT IMAD R#, R#, R#, R#", "@PT HADD2 R#, R#, R#",
                                                     "@PT FADD R#, R#, R#"};

/// "SHFL" from "@# SHFL.UP PT, #, ...".
std::string_view opcode_of(const WordForm& form) {
  const std::string_view text = form.skeleton.text;
  const std::size_t first = std::min(text.find(' '), text.size() - 1) + 1;
  return text.substr(first, text.find_first_of(". ", first) - first);
}
bool sets_scoreboard(const WordForm& form) { return decode_control(form.word.high).write_barrier >= 0; }

/// The mover's registers among the numerals of a form: the first result, and the last source of the given kind.
Mover mover_of(const WordForm& form, Numeral::Kind to_kind, Numeral::Kind from_kind) {
  const auto& numerals = form.skeleton.numerals;
  const std::size_t to = 1;
  std::size_t from = numerals.size() - 1;
  while (from > to && (numerals[from].last || numerals[from].kind != from_kind)) --from;
  if (from == to || numerals[to].kind != to_kind || !form.fields[to].known() || !form.fields[from].known()) return {};
  const auto instruction = parse_instruction(text_of(form.skeleton));
  const auto results = instruction->operands.size() - effects_of(*instruction).sources.size();
  return {&form, to, from, numerals[from].operand - static_cast<int>(results)};
}

/// The form with other values of some numerals, and without reuse flags of these; -1 is a sink.
Expected<Copy> written_with(const WordForm& form, std::initializer_list<std::pair<std::size_t, std::int64_t>> numbers) {
  Copy copy{.word = form.word, .write_scoreboard = sets_scoreboard(form), .stall = 15, .yield = true};
  Skeleton meant = form.skeleton;
  for (const auto& [numeral, value] : numbers) {
    copy.word = WARPCLOCK_TRY(with_number(form, copy.word, numeral, value));
    if (form.fields[numeral].reuse) copy.word = WARPCLOCK_TRY(with_reuse(form, copy.word, numeral, false));
    meant.numerals[numeral].value = std::max(value, std::int64_t{0});
    meant.numerals[numeral].last = value < 0;
  }
  copy.key = key_of(meant);
  copy.effects = effects_of(parse_instruction(text_of(meant)).value());
  return copy;
}

}  // namespace

bool has_scoreboard(const WordForm& form, const Movers& movers) { return movers.scoreboards.contains(opcode_of(form)); }

Movers movers_among(std::span<const WordForm> forms) {
  Movers movers;
  std::map<std::string_view, Mover> adders;
  for (const WordForm& form : forms) {
    if (sets_scoreboard(form)) movers.scoreboards.emplace(opcode_of(form));
    const std::string key = key_of(form);
    if (key == "@PT LOP3.LUT P#, RZ, R#, #, RZ, #, !PT") movers.any_bit = &form;
    if (key == "@PT LOP3.LUT R#, R#, #, R#, #, !PT") movers.lean = &form;
    if (key == "@PT IADD3 R#, R#, #, RZ" || key == "@PT IADD3 R#, PT, PT, R#, #, RZ") movers.count = &form;
    if (key == "@PT BAR.SYNC.DEFER_BLOCKING #") movers.barrier = &form;
    if (key == "@PT WARPGROUP.ARRIVE") movers.arrive = &form;
    if (key == "@PT WARPGROUP.DEPBAR.LE gsb0, #") movers.wait = &form;
    if (is_group_multiply(opcode_of(form)) && key.ends_with(ends_batch)) movers.committing[key] = &form;
    for (const MoverShape& shape : mover_shapes) {
      if (key != shape.key) continue;
      if (const Mover mover = mover_of(form, shape.to, shape.from)) movers.*shape.where = mover;
    }
    const auto adder = std::ranges::find(adder_keys, key);
    if (adder != adder_keys.end()) adders[*adder] = mover_of(form, Numeral::Kind::Register, Numeral::Kind::Register);
  }
  for (const std::string_view key : adder_keys) {
    if (const auto at = adders.find(key); at != adders.end() && at->second) movers.adders.push_back(at->second);
  }
  return movers;
}

Expected<Copy> any_bit_of(const Movers& movers, int predicate, int from, std::uint32_t mask) {
  constexpr std::int64_t intersection = 0xc0;  // PTX ISA, lop3: of the first two operands
  if (movers.any_bit == nullptr) return fail("compose", "there is no instruction that tests bits of a register");
  // The guard, the result, RZ, the register, the mask, RZ, the function, !PT.
  return written_with(*movers.any_bit, {{1, predicate}, {3, from}, {4, mask}, {6, intersection}});
}

Expected<Copy> leaned_on(const Movers& movers, int address, int result) {
  constexpr std::int64_t both_or_third = 0xea;  // PTX ISA, lop3: (a & b) | c
  if (movers.lean == nullptr) return fail("compose", "there is no instruction that makes an address wait for a result");
  return written_with(*movers.lean, {{1, address}, {2, result}, {3, 0}, {4, address}, {5, both_or_third}});
}

Expected<Copy> counted_by(const Movers& movers, int counter, int number) {
  if (movers.count == nullptr) return fail("compose", "there is no instruction that counts");
  const auto& numerals = movers.count->skeleton.numerals;
  const auto at = [&](Numeral::Kind kind) {
    const auto is_one = [&](const Numeral& one) { return one.kind == kind && !one.last; };
    return static_cast<std::size_t>(std::find_if(numerals.begin() + 2, numerals.end(), is_one) - numerals.begin());
  };
  return written_with(*movers.count, {{1, counter},
                                      {at(Numeral::Kind::Register), counter},
                                      {at(Numeral::Kind::Number), static_cast<std::uint32_t>(number)}});
}

Expected<Copy> meeting(const Movers& movers) {
  if (movers.barrier == nullptr) return fail("compose", "there is no barrier");
  return written_with(*movers.barrier, {{1, 0}});
}

Expected<Copy> chosen_or_zero(const Movers& movers, int to, int predicate) {
  const Mover& mover = movers.from_predicate;
  if (!mover) return fail("compose", "there is no instruction that chooses by a predicate");
  // SEL, the result, the register, RZ, the predicate.
  return written_with(*mover.form, {{mover.to, to}, {mover.to + 1, to}, {mover.from, predicate}});
}

Expected<Copy> moved_by(const Mover& mover, int to, int from) {
  if (!mover) return fail("compose", "there is no instruction that moves between these register files");
  return written_with(*mover.form, {{mover.to, to}, {mover.from, from}});
}

}  // namespace warpclock
