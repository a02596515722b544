#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "code/word.hpp"
#include "compose/movers.hpp"
#include "fields/form_table.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// The forms of an architecture, and the cycles after which ptxas lets results of fixed latency be read.
class KnownForms {
 public:
  KnownForms(const FormTable& table, const FormTimesByKey& times);

  [[nodiscard]] const FormTable& table() const { return table_; }
  /// The fewest cycles that ptxas leaves after any form of this instruction, whatever its rounding and operands.
  [[nodiscard]] int ready(const Instruction& instruction) const;
  /// What GPUs need, null if that is not known.
  [[nodiscard]] const FormTimes* times(const WordForm& form) const;
  [[nodiscard]] const Movers& movers() const { return movers_; }

 private:
  const FormTable& table_;
  const FormTimesByKey& times_;
  Movers movers_;
  std::map<std::string, int, std::less<>> ready_;
};

/// Registers in a row that the body uses together: an operand, a result, or a value in between. They can be moved to
/// other registers only as a whole.
struct Block {
  RegisterFile file = RegisterFile::Vector;
  int first = 0, registers = 1;  ///< as ptxas numbered them
  int align = 1;                 ///< its first register is a multiple of this
  bool written = false;          ///< by the words of each copy
  bool once = false;             ///< written by `Body::before`
};

/// A register of a body: its block, and its number as ptxas wrote it.
struct BodyRegister {
  std::size_t block = 0;
  int index = 0;

  auto operator<=>(const BodyRegister&) const = default;
};

/// "@P0 IADD3 R0, R1, R2, RZ"
[[nodiscard]] inline std::string with_guard(const Instruction& one) {
  return (one.predicate.empty() ? "" : "@" + one.predicate + " ") + one.text;
}

struct BodyWord {
  const WordForm* form = nullptr;
  Word word;  ///< without waits for scoreboards
  Instruction instruction;
  std::vector<std::optional<BodyRegister>> numerals;  ///< one for each numeral of the form
  int distance = 1;                              ///< cycles that ptxas leaves from its issue to that of the next word
  bool waits_for_all = false, no_stall = false;  ///< as of a Copy: what ptxas gives it
  bool interleaved = false;                      ///< an instruction of the kernel itself is before the next word
  int ready = 0;  ///< cycles after which ptxas lets others of its kind read the result; 0: a scoreboard signals it
  const FormTimes* times = nullptr;  ///< of its form, if they are known
  std::vector<std::size_t> after;    ///< earlier words of the body for whose scoreboard it waits

  [[nodiscard]] bool accesses_memory() const;
  /// Whether other instructions may see when it executes: it accesses memory or waits for accesses.
  [[nodiscard]] bool is_seen() const { return effects_of(instruction).writes.empty() || accesses_memory(); }
  /// How many of its operands are results. They come first.
  [[nodiscard]] int results() const {
    return static_cast<int>(instruction.operands.size() - effects_of(instruction).sources.size());
  }
};

/// An operand and its element.
using Element = std::pair<std::size_t, int>;

/// The machine instructions that one instance of a PTX instruction becomes, in order, and the registers by which they
/// are connected with each other, with the operands and with the results.
struct Body {
  std::vector<BodyWord> words;
  std::vector<BodyWord> before;  ///< in a chain, what all copies have in common: it runs once
  std::vector<Block> blocks;
  std::map<Element, std::vector<BodyRegister>> sources, results;  ///< low register first
  std::string alone;                          ///< why there can be no copies of it; empty if there can
  bool acquires = false;                      ///< what comes after it waits for its accesses
  std::optional<std::size_t> descriptor;      ///< block: the descriptor of global accesses
  const WordForm* descriptor_load = nullptr;  ///< form of the word that loads it
  const Movers* movers = nullptr;             ///< of its architecture
};

/// Reads the window of the kernel of Question::Isolated. Error "compose" with the reason if its copies cannot be placed
/// one after another: it branches, reads a register that is set outside the window, or a word has no known form.
[[nodiscard]] Expected<Body> body_of(const Listing& listing, const PtxInstruction& instruction,
                                     const KnownForms& forms);

}  // namespace warpclock
