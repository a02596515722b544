#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "code/word.hpp"
#include "compose/filling.hpp"
#include "compose/machine_subject.hpp"
#include "compose/movers.hpp"
#include "fields/form.hpp"

namespace warpclock {

/// The choices for the operands of one copy.
struct Placement {
  int chain = 0;                 ///< its results go to the quad, uniform registers or predicate of this chain
  std::optional<int> through;    ///< the source operand that reads the chain's results
  int constants = 0;             ///< selects the constants, among as many choices as the constant quads have registers
  bool two_banks = false;        ///< sources after the first all read one register, in the other bank than the first
  bool through_address = false;  ///< `through` is an address, held in the chain's register
  std::vector<int> banks;        ///< of each source that is one constant register, in their order; else as above
  unsigned reuse = 0;            ///< bit i: that source asks the operand reuse cache to keep it
};

/// Whether all predicates that copies read are set from one register, as timed windows need no more; or each from one
/// of its own, and all results are moved to quads, so that what a copy computes can be compared.
enum class OperandUse : std::uint8_t { Timed, Compared };

/// Assigns registers of a hole to copies of forms, and records what must be set before the window and read after it.
class Placer {
 public:
  Placer(const Hole& hole, const Movers& movers, OperandUse use = OperandUse::Timed)
      : hole_(hole), movers_(movers), compared_(use == OperandUse::Compared) {}

  /// Errors: "compose" if the hole or the movers lack what the form needs; "field" if a register field of the form is
  /// unknown.
  [[nodiscard]] Expected<Copy> place(const WordForm& form, const Placement& placement);

  /// An instruction through which the address of source operand `source` waits for the result of this copy of the form,
  /// so that the next copy waits for it. Errors: as above.
  [[nodiscard]] Expected<Copy> lean(const WordForm& form, std::size_t source, const Copy& copy) const;

  /// Builds the filling around these copies and adds scoreboards: a copy waits for what it reads. Error "compose" as
  /// above.
  [[nodiscard]] Expected<Filling> finish(std::span<const Copy> copies);

  /// As finish(), but the copies run `trips` times, in a loop (loop.hpp).
  [[nodiscard]] Expected<Filling> finish_loop(std::span<const Copy> copies, int trips);

  /// As finish(), but every other four warps, from the fifth warp on, execute `others` instead of `copies`. Each warp
  /// executes one branch. Of eight warps, each sub-partition then has one of either kind.
  [[nodiscard]] Expected<Filling> finish(std::span<const Copy> copies, std::span<const Copy> others);

 private:
  static constexpr std::size_t uniform_groups = 8;

  [[nodiscard]] static std::unexpected<Error> impossible(const WordForm& form, std::string_view why);
  /// Moves a register to another before the window, or 0 if `from` is negative.
  void move_before(int to, int from);

  [[nodiscard]] Expected<Filling> filling_of(std::span<const Copy> copies, std::vector<Copy> before);

  struct Uniforms {
    int first = 0, from = 0, count = 0;  ///< uniform registers, and the vector registers from which they are set or
                                         ///< into which they are read
    bool result = false;
  };

  [[nodiscard]] Expected<int> vector_at(const WordForm& form, std::size_t quad, int span, int component) const;
  [[nodiscard]] Expected<int> uniform_at(const WordForm& form, std::size_t group, int span, bool result);
  struct AddressRegister {
    int first = 0;
    bool wide = false;  ///< the first of a pair
  };
  /// The register of the hole with the address that an operand needs.
  [[nodiscard]] Expected<AddressRegister> address_of(const WordForm& form, const Instruction& instruction,
                                                     std::string_view text) const;
  /// Sets the uniform registers that an operand names to the hole's matrix descriptors.
  [[nodiscard]] Expected<Word> place_matrices(const WordForm& form, Word word, std::size_t operand);
  [[nodiscard]] Expected<Word> place_address(const WordForm& form, Word word, std::size_t operand,
                                             const Placement& placement);
  struct SourceAt {
    std::size_t operand = 0, source = 0;  ///< index among all operands, and among the sources
    std::size_t index = 0;                ///< index among the sources that use a constant quad
  };
  [[nodiscard]] Expected<Word> place_source(const WordForm& form, Word word, SourceAt at, const OperandShape& shape,
                                            const Placement& placement, int& number);
  [[nodiscard]] Expected<Copy> moved(const Mover& mover, int to, int from) const;
  [[nodiscard]] Expected<int> predicate_at(const WordForm& form, bool chained, std::size_t chain);
  [[nodiscard]] Expected<int> uniform_predicate_at(const WordForm& form);
  /// Moves the predicates that copies write to quads.
  [[nodiscard]] Expected<void> read_predicates(std::vector<Copy>& after) const;

  const Hole& hole_;
  const Movers& movers_;
  const bool compared_;
  struct Known {
    FormShape shape;
    std::string key;
    Effects effects;
  };
  std::map<const WordForm*, Known> known_;
  std::vector<Uniforms> uniforms_;
  std::vector<int> predicates_, predicate_results_, uniform_predicate_results_;
  std::vector<std::pair<int, int>> moves_;               ///< vector registers: to, from
  std::vector<std::pair<int, int>> uniform_predicates_;  ///< a uniform predicate, and the uniform register that sets it
  bool descriptor_ = false;
};

}  // namespace warpclock
