#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "code/listing.hpp"
#include "code/modifiers.hpp"
#include "compose/hole_source.hpp"
#include "compose/placing.hpp"
#include "fields/form_table.hpp"

namespace warpclock {
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

}  // namespace warpclock
