#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "code/semantics.hpp"
#include "code/word.hpp"
#include "compose/hole.hpp"
#include "fields/form.hpp"

namespace warpclock {

/// The kind and size of an operand of a form, for assigning registers to it.
struct OperandShape {
  enum class Kind : std::uint8_t { None, Vector, Uniform, Predicate, UniformPredicate, Address };
  Kind kind = Kind::None;  ///< None: an immediate, a constant, a sink, a special register
  int registers = 0;       ///< number of registers that it spans
};

/// The operands of a form, results first.
struct FormShape {
  std::vector<OperandShape> results, sources;
  /// The result through which a chain can go: a vector register if there is one.
  [[nodiscard]] std::optional<std::size_t> result() const;
};

/// Also true for a generic address, because those of a hole point to global memory.
[[nodiscard]] bool accesses_global_memory(const Instruction& instruction);

/// Error "compose" if the form is no instruction that can be placed.
[[nodiscard]] Expected<FormShape> shape_of(const WordForm& form);

/// The choices for the operands of one copy.
struct Placement {
  int chain = 0;                 ///< its results go to the quad, uniform registers or predicate of this chain
  std::optional<int> through;    ///< the source operand that reads the chain's results
  int constants = 0;             ///< selects the constants, among as many choices as the constant quads have registers
  bool two_banks = false;        ///< sources after the first all read one register, in the other bank than the first
  bool through_address = false;  ///< `through` is an address, held in the chain's register
};

/// An instruction with registers of a hole. Its control field is not set.
struct Copy {
  std::string key;  ///< key of its form (fields/form_table.hpp)
  Word word;
  Effects effects;
  bool write_scoreboard = false;
  int stall = 1;  ///< cycles to the next copy; above 15, no-operations follow
  bool yield = false;
};

/// A form that moves a value from one register to another.
struct Mover {
  const WordForm* form = nullptr;  ///< null if the architecture has none
  std::size_t to = 0, from = 0;    ///< its numerals
  int source = 0;                  ///< the source operand that contains `from`

  explicit operator bool() const { return form != nullptr; }
};

/// Movers between the register files of one architecture, and what else composing must know about all its forms.
struct Movers {
  Mover vector;                ///< MOV R, R
  Mover to_uniform;            ///< R2UR UR, R
  Mover from_uniform;          ///< MOV R, UR
  Mover to_predicate;          ///< ISETP P, PT, R, RZ, PT
  Mover from_predicate;        ///< SEL R, R, R, P
  Mover to_uniform_predicate;  ///< UISETP UP, UPT, UR, URZ, UPT
  std::vector<Mover> adders;   ///< they move a register and change it, on different pipes: IADD3, IMAD, HADD2, FADD
  std::set<std::string, std::less<>> scoreboards;  ///< opcodes with a form whose result is signalled by a scoreboard
};

/// Whether a scoreboard signals the form's result. The word that ptxas made may not set one if nothing waits for it.
[[nodiscard]] bool has_scoreboard(const WordForm& form, const Movers& movers);

[[nodiscard]] Movers movers_among(std::span<const WordForm> forms);

/// Assigns registers of a hole to copies of forms, and records what must be set before the window and read after it.
class Placer {
 public:
  Placer(const Hole& hole, const Movers& movers) : hole_(hole), movers_(movers) {}

  /// Errors: "compose" if the hole or the movers lack what the form needs; "field" if a register field of the form is
  /// unknown.
  [[nodiscard]] Expected<Copy> place(const WordForm& form, const Placement& placement);

  /// Builds the filling around these copies and adds scoreboards: a copy waits for what it reads. Error "compose" as
  /// above.
  [[nodiscard]] Expected<Filling> finish(std::span<const Copy> copies);

 private:
  struct Uniforms {
    int first = 0, from = 0, count = 0;  ///< uniform registers, and the vector registers from which they are set or
                                         ///< into which they are read
    bool result = false;
  };

  [[nodiscard]] Expected<int> vector_at(const WordForm& form, std::size_t quad, int span, int component) const;
  [[nodiscard]] Expected<int> uniform_at(const WordForm& form, std::size_t group, int span, bool result);
  [[nodiscard]] Expected<Word> place_address(const WordForm& form, Word word, std::size_t operand,
                                             const Placement& placement);
  struct SourceAt {
    std::size_t operand = 0, source = 0;  ///< index among all operands, and among the sources
    std::size_t index = 0;                ///< index among the sources that use a constant quad
  };
  [[nodiscard]] Expected<Word> place_source(const WordForm& form, Word word, SourceAt at, const OperandShape& shape,
                                            const Placement& placement, int& number);
  [[nodiscard]] Expected<Copy> moved(const Mover& mover, int to, int from) const;

  const Hole& hole_;
  const Movers& movers_;
  struct Known {
    FormShape shape;
    std::string key;
  };
  std::map<const WordForm*, Known> known_;
  std::vector<Uniforms> uniforms_;
  std::vector<int> predicates_, predicate_results_;
  std::vector<std::pair<int, int>> moves_;  ///< vector registers: to, from
  std::optional<int> uniform_predicate_;    // uniform register from which the last uniform predicate is set
  bool descriptor_ = false;
};

/// ptxas sets the yield hint with a stall count of at least this.
constexpr int yielding_stall = 12;

/// The words of the copies in order. Each copy that needs a scoreboard gets one, and a copy waits for the scoreboards
/// of what it reads.
[[nodiscard]] std::vector<Word> wired(std::span<const Copy> copies);

}  // namespace warpclock
