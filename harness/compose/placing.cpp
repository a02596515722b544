#include "compose/placing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/lookup.hpp"
#include "code/listing.hpp"
#include "compose/hole_source.hpp"
#include "compose/loop.hpp"
#include "fields/form_table.hpp"

namespace warpclock {
namespace {

using Kind = OperandShape::Kind;

void append(std::vector<Register>& registers, const OperandShape& operand, int first) {
  const bool unknown = operand.kind == Kind::Address && first < 0;
  if (operand.kind == Kind::None || unknown) return;
  const auto file = operand.kind == Kind::Address ? RegisterFile::Vector
                                                  : static_cast<RegisterFile>(static_cast<int>(operand.kind) - 1);
  const int count = operand.kind == Kind::Address ? 1 : operand.registers;
  for (int i = 0; i < count; ++i) registers.push_back({file, first + i});
}

}  // namespace

std::unexpected<Error> Placer::impossible(const WordForm& form, std::string_view why) {
  return fail("compose", fmt::format("'{}' {}", text_of(form.skeleton), why));
}

void Placer::move_before(int to, int from) {
  if (const std::pair move{to, from}; !contains(moves_, move)) moves_.push_back(move);
}

Expected<int> Placer::vector_at(const WordForm& form, std::size_t quad, int span, int component) const {
  const bool of_group = form.skeleton.text.contains("GMMA"), changes = quad < result_quads;
  const bool in_row = changes ? of_group || known_.at(&form).shape.wide() : span > 2 * quad_registers;
  if (hole_.accumulators >= 0 && in_row) {
    // Operands of 16 registers must begin at a multiple of 16: DMMA.16x8x16 with A in R24 is an illegal instruction.
    constexpr int half = accumulator_registers / 2, aligned = 16;
    const auto next = [](int first) { return (first + aligned - 1) / aligned * aligned; };
    if (span > (of_group && changes ? accumulator_registers : aligned)) {
      return impossible(form, fmt::format("has {} registers in one operand", span));
    }
    if (!changes) return next(hole_.accumulators + half);
    const auto index = static_cast<int>(quad);
    if (!of_group) return next(hole_.accumulators) + index % (half / aligned) * aligned;
    const int room = std::max(span, 2 * quad_registers);
    return hole_.accumulators + index % (accumulator_registers / room) * room;
  }
  if (span <= quad_registers) return hole_.quads[quad] + (span > 2 ? 0 : span == 2 ? component / 2 * 2 : component);
  const std::span all = hole_.quads;
  const auto group = quad < result_quads ? all.first(result_quads) : all.subspan(result_quads);
  const auto first =
      std::ranges::find_if(group, [&](int one) { return one % 8 == 0 && contains(group, one + quad_registers); });
  if (span > 2 * quad_registers || first == group.end()) {
    return impossible(form, fmt::format("has {} registers in one operand", span));
  }
  return *first;
}

Expected<int> Placer::uniform_at(const WordForm& form, std::size_t group, int span, bool result) {
  std::vector<int> firsts;
  for (const int one : hole_.uniform) {
    const bool whole = one % 4 == 0 && contains(hole_.uniform, one + 1) && contains(hole_.uniform, one + 2) &&
                       contains(hole_.uniform, one + 3);
    if (whole) firsts.push_back(one);
  }
  if (span > quad_registers || firsts.size() < uniform_groups) {
    return impossible(form, fmt::format("has {} uniform registers in one operand", span));
  }
  if (!movers_.to_uniform || !movers_.from_uniform) {
    return impossible(form, "has a uniform register, which nothing sets here");
  }
  const int first = firsts[group % firsts.size()];
  const auto known = std::ranges::find(uniforms_, first, &Uniforms::first);
  if (known == uniforms_.end()) {
    uniforms_.push_back({first, group < hole_.quads.size() ? hole_.quads[group] : -1, span, result});
  } else {
    known->count = std::max(known->count, span);
    known->result = known->result || result;
  }
  return first;
}

Expected<Word> Placer::place_source(const WordForm& form, Word word, SourceAt at, const OperandShape& shape,
                                    const Placement& placement, int& number) {
  if (shape.kind == Kind::None) return word;
  if (shape.kind == Kind::Address) {
    number = placement.through_address ? hole_.quads[static_cast<std::size_t>(placement.chain)] : -1;
    return place_address(form, word, at.operand, placement);
  }
  const std::size_t numeral = *register_of(form.skeleton, at.operand);
  const bool chained = placement.through == static_cast<int>(at.source);
  const auto chain = static_cast<std::size_t>(placement.chain);
  const std::size_t quad =
      chained ? chain
              : result_quads +
                    ((placement.two_banks ? std::min<std::size_t>(at.index, 1 + (shape.registers > 2)) : at.index) +
                     static_cast<std::size_t>(placement.constants)) %
                        constant_quads;
  switch (shape.kind) {
    case Kind::Vector: {
      // The number of a barrier: it is set to 0, as the index of a constant is.
      if (form.skeleton.text.contains(" BAR.")) {
        number = hole_.quads.back() + 3;
        move_before(number, -1);
        break;
      }
      // The first source reads an even register and the others an odd one, which is in the other bank.
      if (!chained && shape.registers == 1 && at.index < placement.banks.size()) {
        number = WARPCLOCK_TRY(vector_at(form, result_quads + at.index % constant_quads, 1, placement.banks[at.index]));
        break;
      }
      const bool same = placement.two_banks && !chained && shape.registers <= 2;
      const std::size_t index = same ? std::min<std::size_t>(at.index, 1) : at.index;
      const int turn = placement.constants / static_cast<int>(constant_quads);
      const int component = chained ? 0
                            : same  ? (index == 0 ? 2 : 1)
                                    : (static_cast<int>(index) + 1 + turn) % quad_registers;
      number = WARPCLOCK_TRY(vector_at(form, quad, shape.registers, component));
      break;
    }
    case Kind::Uniform:
      number = WARPCLOCK_TRY(uniform_at(form, quad, shape.registers, chained));
      break;
    case Kind::Predicate: {
      number = WARPCLOCK_TRY(predicate_at(form, chained, chain));
      break;
    }
    default: {
      number = WARPCLOCK_TRY(uniform_predicate_at(form));
    }
  }
  word = WARPCLOCK_TRY(with_number(form, word, numeral, number));
  const bool reuse = (placement.reuse >> at.index & 1U) != 0;
  if (reuse || form.fields[numeral].reuse) word = WARPCLOCK_TRY(with_reuse(form, word, numeral, reuse));
  return word;
}

Expected<Copy> Placer::place(const WordForm& form, const Placement& placement) {
  auto known = known_.find(&form);
  if (known == known_.end()) {
    auto made = WARPCLOCK_TRY(shape_of(form));
    auto effects = effects_of(parse_instruction(text_of(form.skeleton)).value());
    known = known_.emplace(&form, Known{std::move(made), key_of(form), std::move(effects)}).first;
  }
  const FormShape& shape = known->second.shape;
  Copy copy;
  copy.key = known->second.key;
  copy.word = form.word;
  copy.write_scoreboard = has_scoreboard(form, movers_);
  const auto chain = static_cast<std::size_t>(placement.chain);
  const auto before = [&](std::size_t i) {
    const auto earlier = std::span(shape.results).first(i);
    return static_cast<std::size_t>(std::ranges::count(earlier, shape.results[i].kind, &OperandShape::kind));
  };
  for (std::size_t i = 0; i < shape.results.size(); ++i) {
    const OperandShape& one = shape.results[i];
    if (one.kind == Kind::None) continue;
    int number = 0;
    if (one.kind == Kind::Vector) {
      number = WARPCLOCK_TRY(vector_at(form, (chain + before(i)) % result_quads, one.registers, 0));
    } else if (one.kind == Kind::Uniform) {
      number = WARPCLOCK_TRY(uniform_at(form, chain, one.registers, true));
    } else if (one.kind == Kind::Predicate) {
      // A second predicate result takes the next predicate: they are the two halves of a comparison.
      if (hole_.predicates.size() < 2) return impossible(form, "has a predicate");
      number = hole_.predicates[(chain + before(i)) % (hole_.predicates.size() - 1)];
      if (!contains(predicate_results_, number)) predicate_results_.push_back(number);
    } else if (one.kind == Kind::UniformPredicate) {
      if (hole_.uniform_predicates.size() < 3) return impossible(form, "has a uniform predicate");
      number = hole_.uniform_predicates[before(i)];
      if (!contains(uniform_predicate_results_, number)) uniform_predicate_results_.push_back(number);
    } else {
      return impossible(form, "writes what is not set up here");
    }
    copy.word = WARPCLOCK_TRY(with_number(form, copy.word, *register_of(form.skeleton, i), number));
    append(copy.effects.writes, one, number);
  }
  std::size_t index = 0;
  for (std::size_t source = 0; source < shape.sources.size(); ++source) {
    const OperandShape& one = shape.sources[source];
    int number = 0;
    copy.word = WARPCLOCK_TRY(
        place_source(form, copy.word, {shape.results.size() + source, source, index}, one, placement, number));
    append(copy.effects.sources.emplace_back(), one, number);
    if (one.kind == Kind::None) copy.effects.sources.back() = known->second.effects.sources[source];
    if (one.kind != Kind::None && one.kind != Kind::Address && placement.through != static_cast<int>(source)) ++index;
  }
  return copy;
}

Expected<Copy> Placer::moved(const Mover& mover, int to, int from) const {
  Copy copy = WARPCLOCK_TRY(moved_by(mover, to, from));
  copy.write_scoreboard = has_scoreboard(*mover.form, movers_);
  return copy;
}

Expected<Filling> Placer::finish(std::span<const Copy> copies) { return filling_of(copies, {}); }

Expected<Filling> Placer::finish_loop(std::span<const Copy> copies, int count) {
  // What a trip leaves in a predicate, nothing reads.
  const auto is_kept = [&](int one) { return contains(predicates_, one); };
  const auto predicate = std::ranges::find_if_not(hole_.predicates, is_kept);
  if (predicate == hole_.predicates.end()) return fail("compose", "no predicate is left for the loop");
  const Trips trips{.count = count, .counter = hole_.counter, .predicate = *predicate};
  auto before = WARPCLOCK_TRY(set_count(movers_, trips));
  auto filling = WARPCLOCK_TRY(filling_of(copies, std::move(before)));
  WARPCLOCK_TRY(run_in_loop(filling, hole_, movers_, trips));
  return filling;
}

Expected<Filling> Placer::finish(std::span<const Copy> copies, std::span<const Copy> others) {
  const auto is_taken = [&](int one) { return contains(predicates_, one) || contains(predicate_results_, one); };
  const auto guard = std::ranges::find_if_not(hole_.predicates, is_taken);
  if (guard == hole_.predicates.end()) return fail("compose", "no predicate is left for the branch");
  // Bit 9 of an address of 4 bytes for each thread is that of four warps; shared memory begins at a multiple of 1 KB.
  constexpr std::uint32_t four_warps = 4 * 32 * 4;
  const auto is_long = [](const Copy& one) { return one.stall > 15; };
  if (std::ranges::any_of(copies, is_long) || std::ranges::any_of(others, is_long)) {
    return fail("compose", "a branch does not count no-operations");
  }
  std::vector<Copy> before, all;
  before.emplace_back() = WARPCLOCK_TRY(any_bit_of(movers_, *guard, hole_.shared[0], four_warps));
  all.emplace_back() = WARPCLOCK_TRY(branch_over(hole_.to_itself, std::ssize(copies) + 1, *guard));
  all.insert(all.end(), copies.begin(), copies.end());
  all.emplace_back() = WARPCLOCK_TRY(branch_over(hole_.to_itself, std::ssize(others)));
  all.insert(all.end(), others.begin(), others.end());
  return filling_of(all, std::move(before));
}

Expected<Filling> Placer::filling_of(std::span<const Copy> copies, std::vector<Copy> before) {
  Filling filling;
  std::vector<Copy> after;
  const auto put = [](std::vector<Copy>& where, Expected<Copy> copy) -> Expected<void> {
    where.emplace_back() = WARPCLOCK_TRY(std::move(copy));
    return {};
  };
  for (const auto& [to, from] : moves_) WARPCLOCK_TRY(put(before, moved(movers_.vector, to, from)));
  for (const Uniforms& one : uniforms_) {
    for (int i = 0; i < one.count; ++i) {
      WARPCLOCK_TRY(put(before, moved(movers_.to_uniform, one.first + i, one.from < 0 ? -1 : one.from + i)));
      if (one.result) WARPCLOCK_TRY(put(after, moved(movers_.from_uniform, one.from + i, one.first + i)));
    }
  }
  for (const auto& [predicate, from] : uniform_predicates_)
    WARPCLOCK_TRY(put(before, moved(movers_.to_uniform_predicate, predicate, from)));
  for (std::size_t i = 0; i < predicates_.size(); ++i) {
    const std::size_t quad = result_quads + (compared_ ? i % constant_quads : 0);
    WARPCLOCK_TRY(put(before, moved(movers_.to_predicate, predicates_[i], hole_.quads[quad])));
  }
  WARPCLOCK_TRY(read_predicates(after));
  filling.before = wired(before);
  if (descriptor_) filling.before.insert(filling.before.begin(), hole_.descriptor.begin(), hole_.descriptor.end());
  filling.window = wired(copies);
  filling.after = wired(after);
  for (const std::span<const Copy> all : {std::span<const Copy>(before), copies, std::span<const Copy>(after)}) {
    for (const Copy& copy : all) filling.placed.push_back(placed_word(copy));
  }
  return filling;
}

namespace {

/// Index of the hole's cell with the size of the access. Rows of a matrix have 16 bytes.
std::size_t cell_of(const Instruction& instruction) {
  constexpr std::array<std::string_view, 5> sixteen{"128", "F32x4", "F16x8", "BF16x8", "256"};
  constexpr std::array<std::string_view, 7> eight{"64", "F64", "S64", "U64", "F32x2", "F16x4", "BF16x4"};
  const auto has = [&](std::string_view modifier) { return has_modifier(instruction, modifier); };
  if (instruction.opcode == "LDSM" || instruction.opcode == "STSM" || std::ranges::any_of(sixteen, has)) return 2;
  return std::ranges::any_of(eight, has) ? 1 : 0;
}

}  // namespace

Expected<Placer::AddressRegister> Placer::address_of(const WordForm& form, const Instruction& instruction,
                                                     std::string_view text) const {
  const std::string& opcode = instruction.opcode;
  const std::size_t cell = cell_of(instruction);
  // It is set to 0, because the hole's own constants begin with zeros.
  if (text.starts_with("c[")) return AddressRegister{hole_.quads.back() + 3};
  if (opcode == "SYNCS" || opcode == "ARRIVES") return AddressRegister{hole_.mbarrier};
  const bool to_shared = opcode == "LDGSTS" && !text.starts_with("desc") && !text.contains(".64");
  if (accesses_shared_memory(instruction) || to_shared) return AddressRegister{hole_.shared[cell]};
  if (accesses_global_memory(instruction)) return AddressRegister{hole_.global[cell], true};
  if (opcode == "LDL" || opcode == "STL" || opcode == "CCTLL") return AddressRegister{hole_.local};
  return impossible(form, "accesses what is not set up here");
}

Expected<Copy> Placer::lean(const WordForm& form, std::size_t source, const Copy& copy) const {
  const auto instruction = parse_instruction(text_of(form.skeleton));
  const std::size_t operand = known_.at(&form).shape.results.size() + source;
  const AddressRegister cell = WARPCLOCK_TRY(address_of(form, *instruction, instruction->operands[operand]));
  const auto result = std::ranges::find(copy.effects.writes, RegisterFile::Vector, &Register::file);
  if (result == copy.effects.writes.end()) return impossible(form, "has no result in a vector register");
  return leaned_on(movers_, cell.first, result->index);
}

Expected<Word> Placer::place_matrices(const WordForm& form, Word word, std::size_t operand) {
  const auto numeral = register_of(form.skeleton, operand);
  if (!numeral) return word;
  if (hole_.descriptors < 0) return impossible(form, "needs matrix descriptors, which are not set up here");
  const int first = WARPCLOCK_TRY(uniform_at(form, uniform_groups - 1, quad_registers, false));
  std::ranges::find(uniforms_, first, &Uniforms::first)->from = hole_.descriptors;
  return with_number(form, word, *numeral, first);
}

Expected<Word> Placer::place_address(const WordForm& form, Word word, std::size_t operand, const Placement& placement) {
  const auto instruction = parse_instruction(text_of(form.skeleton));
  const std::string& text = instruction->operands[operand];
  if (text.starts_with("gdesc[")) return place_matrices(form, word, operand);
  const AddressRegister cell = WARPCLOCK_TRY(address_of(form, *instruction, text));
  const bool bank = text.starts_with("c["), wide = cell.wide;
  int address = cell.first;
  if (bank && !placement.through_address) move_before(address, -1);
  if (placement.through_address) {
    const int chain = hole_.quads[static_cast<std::size_t>(placement.chain)];
    for (int i = 0; i < (wide ? 2 : 1); ++i) {
      move_before(chain + i, bank ? -1 : address + i);
    }
    address = chain;
  }
  std::vector<std::pair<std::size_t, int>> uniforms_of_addresses;
  int depth = 0;
  bool vector = false;
  const bool described = text.starts_with("desc[");
  for (std::size_t i = 1; i < form.skeleton.numerals.size(); ++i) {
    const Numeral& one = form.skeleton.numerals[i];
    if (one.operand != static_cast<int>(operand)) continue;
    if (one.kind == Numeral::Kind::Register) {
      if (!one.last) word = WARPCLOCK_TRY(with_number(form, word, i, address));
      vector = vector || !one.last;
    } else if (one.kind == Numeral::Kind::UniformRegister && described && depth++ == 0) {
      if (hole_.descriptor_register < 0) return impossible(form, "has a descriptor, of which the hole has none");
      word = WARPCLOCK_TRY(with_number(form, word, i, hole_.descriptor_register));
      descriptor_ = true;
    } else if (one.kind == Numeral::Kind::UniformRegister && !one.last) {
      const int uniform = WARPCLOCK_TRY(uniform_at(form, uniform_groups - 1, 1, false));
      uniforms_of_addresses.emplace_back(i, uniform);
    } else if (one.kind == Numeral::Kind::Number && form.fields[i].known()) {
      word = WARPCLOCK_TRY(with_number(form, word, i, 0));
    }
  }
  const bool zero = accesses_shared_memory(*instruction) && uniforms_of_addresses.empty();  // also an address there
  if (!vector && !zero && (uniforms_of_addresses.empty() || wide)) {
    return impossible(form, "has no vector register in its address");
  }
  for (const auto& [numeral, uniform] : uniforms_of_addresses) {
    word = WARPCLOCK_TRY(with_number(form, word, numeral, uniform));
    // Next to a vector register it is an offset.
    std::ranges::find(uniforms_, uniform, &Uniforms::first)->from = vector ? -1 : address;
  }
  return word;
}

Expected<int> Placer::predicate_at(const WordForm& form, bool chained, std::size_t chain) {
  const std::size_t some = hole_.predicates.size();
  if (some < 2 || !movers_.to_predicate) return impossible(form, "has a predicate");
  if (compared_ && predicates_.size() == some) return impossible(form, "reads too many predicates");
  const int number = chained     ? hole_.predicates[chain % (some - 1)]
                     : compared_ ? hole_.predicates[some - 1 - predicates_.size()]
                                 : hole_.predicates.back();
  if (std::ranges::find(predicates_, number) == predicates_.end()) predicates_.push_back(number);
  return number;
}

Expected<int> Placer::uniform_predicate_at(const WordForm& form) {
  const std::size_t some = hole_.uniform_predicates.size(), others = compared_ ? uniform_predicates_.size() : 0;
  if (others >= some || !movers_.to_uniform_predicate) return impossible(form, "reads a uniform predicate");
  const int number = hole_.uniform_predicates[some - 1 - others];
  if (std::ranges::find(uniform_predicates_, number, &std::pair<int, int>::first) == uniform_predicates_.end()) {
    const int from = WARPCLOCK_TRY(uniform_at(form, result_quads + others, 1, false));
    uniform_predicates_.emplace_back(number, from);
  }
  return number;
}

// Each goes to one register of a quad.
Expected<void> Placer::read_predicates(std::vector<Copy>& after) const {
  int component = 3;
  const auto read = [&](int predicate) -> Expected<void> {
    if (!movers_.from_predicate || component < 0) return {};
    const int to = hole_.quads[0] + component--;
    after.emplace_back() = WARPCLOCK_TRY(moved(movers_.from_predicate, to, predicate));
    if (compared_) after.back() = WARPCLOCK_TRY(chosen_or_zero(movers_, to, predicate));
    return {};
  };
  for (const int predicate : predicate_results_) WARPCLOCK_TRY(read(predicate));
  if (!compared_ || !movers_.from_uniform_predicate) return {};
  for (const int predicate : uniform_predicate_results_) {
    if (hole_.predicates.empty()) return fail("compose", "no predicate is left to read a uniform one");
    after.emplace_back() = WARPCLOCK_TRY(moved(movers_.from_uniform_predicate, hole_.predicates.back(), predicate));
    WARPCLOCK_TRY(read(hole_.predicates.back()));
  }
  return {};
}

}  // namespace warpclock
