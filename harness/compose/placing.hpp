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

/// What an operand of a form is, for whoever gives it registers.
struct OperandShape {
  enum class Kind : std::uint8_t { None, Vector, Uniform, Predicate, UniformPredicate, Address };
  Kind kind = Kind::None;  ///< None: an immediate, a constant, a sink, a special register
  int registers = 0;       ///< that it spans
};

/// The operands of a form, results first.
struct FormShape {
  std::vector<OperandShape> results, sources;
  /// The one result that a chain can go through: a vector register before any other.
  [[nodiscard]] std::optional<std::size_t> result() const;
};

/// Through a generic address, too: those of a hole are global ones.
[[nodiscard]] bool accesses_global_memory(const Instruction& instruction);

/// Error "compose" for what is no instruction that one can place.
[[nodiscard]] Expected<FormShape> shape_of(const WordForm& form);

/// Where the operands of one copy are.
struct Placement {
  int chain = 0;                 ///< its results are in the quad, uniform registers or predicate of this chain
  std::optional<int> through;    ///< the source operand that is where the chain's results are
  int constants = 0;             ///< which constants: as many registers differ as the constant quads have
  bool two_banks = false;        ///< sources behind the first read one register, of the bank that the first is not in
  bool through_address = false;  ///< `through` is an address, which is the chain's register
};

/// An instruction with the registers of a hole. Its control field is not set.
struct Copy {
  std::string key;  ///< fields/form_table.hpp
  Word word;
  Effects effects;
  bool write_scoreboard = false;
  int stall = 1;  ///< cycles to the next copy; above 15 no-operations follow
  bool yield = false;
};

/// A form that moves a value from one register to another.
struct Mover {
  const WordForm* form = nullptr;  ///< null where the architecture has none
  std::size_t to = 0, from = 0;    ///< its numerals
  int source = 0;                  ///< the source operand in which `from` is

  explicit operator bool() const { return form != nullptr; }
};

/// Movers between register files, of one architecture; and what else composing has to know of all its forms.
struct Movers {
  Mover vector;                ///< MOV R, R
  Mover to_uniform;            ///< R2UR UR, R
  Mover from_uniform;          ///< MOV R, UR
  Mover to_predicate;          ///< ISETP P, PT, R, RZ, PT
  Mover from_predicate;        ///< SEL R, R, R, P
  Mover to_uniform_predicate;  ///< UISETP UP, UPT, UR, URZ, UPT
  std::vector<Mover> adders;   ///< move a register and change it, on one pipe each: IADD3, IMAD, HADD2, FADD
  std::set<std::string, std::less<>> scoreboards;  ///< opcodes of which a form has its result by a scoreboard
};

/// Whether a scoreboard says when the form's result is there: the word that ptxas made may lack it, where nobody waits.
[[nodiscard]] bool has_scoreboard(const WordForm& form, const Movers& movers);

[[nodiscard]] Movers movers_among(std::span<const WordForm> forms);

/// Gives copies of forms the registers of a hole, and notes what has to be set before the window and read after it.
class Placer {
 public:
  Placer(const Hole& hole, const Movers& movers) : hole_(hole), movers_(movers) {}

  /// Errors: "compose" where the hole or the movers lack what the form needs; "field" where a register of the form is
  /// not known.
  [[nodiscard]] Expected<Copy> place(const WordForm& form, const Placement& placement);

  /// The filling around these copies, with the scoreboards that they need: a copy waits for what it reads. Error
  /// "compose" as above.
  [[nodiscard]] Expected<Filling> finish(std::span<const Copy> copies);

 private:
  struct Uniforms {
    int first = 0, from = 0, count = 0;  ///< uniform registers, and the vector registers they are set from or read into
    bool result = false;
  };

  [[nodiscard]] Expected<int> vector_at(const WordForm& form, std::size_t quad, int span, int component) const;
  [[nodiscard]] Expected<int> uniform_at(const WordForm& form, std::size_t group, int span, bool result);
  [[nodiscard]] Expected<Word> place_address(const WordForm& form, Word word, std::size_t operand,
                                             const Placement& placement);
  struct SourceAt {
    std::size_t operand = 0, source = 0;  ///< among all operands, and among the sources
    std::size_t index = 0;                ///< among those with a constant quad
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
  std::optional<int> uniform_predicate_;    // uniform register that the last uniform predicate is set from
  bool descriptor_ = false;
};

/// A stall count from this one on goes with the hint to yield, as ptxas writes it.
constexpr int yielding_stall = 12;

/// Words of copies, one behind the other. Each that wants a scoreboard gets one; a copy waits for those of what it
/// reads.
[[nodiscard]] std::vector<Word> wired(std::span<const Copy> copies);

}  // namespace warpclock
