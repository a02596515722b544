#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "code/listing.hpp"
#include "execute/forms/code_step.hpp"
#include "execute/forms/lanes.hpp"

namespace warpclock {

/// Registers that a thread begins with and cannot write.
struct WarpPlace {
  std::array<std::uint32_t, 3> block{}, grid{}, threads{};  ///< index of the block, blocks, threads of a block
  std::uint32_t warp = 0;                                   ///< of the block
  std::uint32_t cluster_rank = 0;
};

/// What registers hold, and in which lanes that is known.
struct RegisterView {
  const Words* words = nullptr;
  const LaneMask *known = nullptr, *predicates = nullptr, *known_predicates = nullptr;
  const Words* pool = nullptr;
  const std::uint8_t* known_pool = nullptr;
};

/// What an instruction reads. StepSources are numbered in the order of its operands, predicates apart from the others.
class StepSources {
 public:
  StepSources(const CodeStep& step, const RegisterView& registers, const WarpPlace& place, LaneMask lanes)
      : step_(step), registers_(registers), place_(place), lanes_(lanes) {}

  /// The lanes that execute the instruction.
  [[nodiscard]] LaneMask lanes() const { return lanes_; }
  [[nodiscard]] std::size_t count() const { return step_.words.size(); }
  [[nodiscard]] const WordSource& at(std::size_t i) const { return step_.words[i]; }
  /// As an integer with its sign, or inverted; for the high word of 64 bits, without.
  [[nodiscard]] const Words& word(std::size_t i);
  [[nodiscard]] const Words& raw(std::size_t i) const;
  [[nodiscard]] const Words& high(std::size_t i) const;
  /// The register `k` behind the first one of a source.
  [[nodiscard]] const Words& part(std::size_t i, std::size_t k) const {
    return registers_.words[step_.words[i].place + k];
  }
  /// The bits of floats with their signs.
  [[nodiscard]] const Words& real(std::size_t i);
  [[nodiscard]] LaneMask predicate(std::size_t i) const;
  [[nodiscard]] LaneMask known(std::size_t i) const;
  [[nodiscard]] LaneMask known_high(std::size_t i) const;
  [[nodiscard]] LaneMask known_predicate(std::size_t i) const;
  [[nodiscard]] Words special(SpecialRegister which) const;
  /// A word of the constant bank, which step.table has: in each lane that at the address in source `i` and `offset`
  /// bytes. `known` loses the lanes in which it is not known.
  [[nodiscard]] Words constant(std::size_t i, std::uint32_t offset, LaneMask& known) const;

 private:
  const CodeStep& step_;
  const RegisterView& registers_;
  const WarpPlace& place_;
  LaneMask lanes_;
  std::array<Words, 6> changed_;
};

/// What it leaves: words of the register that it names and of those after it, and predicates in their order.
struct StepOutputs {
  std::array<Words, 4> word;
  std::array<LaneMask, 7> predicate{};
  LaneMask known = all_lanes;  ///< lanes whose results are known; before: those all of whose sources are
};

/// The meaning of a machine-instruction form: an opcode with modifiers. An opcode of the uniform datapath has the
/// meaning of the one without its U.
struct SemanticsRow {
  std::string_view opcode;
  std::string_view needs;                  ///< modifiers by blanks, all of which it has
  std::string_view allows;                 ///< others that it may have
  std::uint8_t words = 0, predicates = 0;  ///< sources that it has at least
  Operation run = nullptr;
  bool approximate = false;  ///< whether a GPU's result may be another by one unit of the last place
};

/// The table by parts; semantics_of() looks at all of them.
[[nodiscard]] std::span<const SemanticsRow> integer_forms();
[[nodiscard]] std::span<const SemanticsRow> packed_integer_forms();
[[nodiscard]] std::span<const SemanticsRow> bit_forms();
[[nodiscard]] std::span<const SemanticsRow> logic_forms();
[[nodiscard]] std::span<const SemanticsRow> float_forms();
[[nodiscard]] std::span<const SemanticsRow> half_forms();
[[nodiscard]] std::span<const SemanticsRow> conversion_forms();
[[nodiscard]] std::span<const SemanticsRow> warp_forms();
[[nodiscard]] std::span<const SemanticsRow> matrix_forms();
[[nodiscard]] std::span<const SemanticsRow> move_forms();

/// The row of an instruction with so many sources; null if its results are not followed.
[[nodiscard]] const SemanticsRow* semantics_of(const Instruction& instruction, std::size_t words,
                                               std::size_t predicates);

/// In a lane: combines the result of a comparison with a predicate as `.AND`, `.OR` and `.XOR` say, and its opposite,
/// and marks lanes in which that predicate decides alone.
void combine(const CodeStep& step, LaneMask holds, const StepSources& in, StepOutputs& out);

}  // namespace warpclock
