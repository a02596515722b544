#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compose/copies/body.hpp"
#include "ptx/instruction.hpp"
#include "verify/instruction/executed.hpp"

namespace warpclock {

/// The one machine instruction that a PTX instruction becomes, and where its operands are in it. What is measured of
/// its form holds for the PTX instruction.
struct OneWord {
  std::string form;  ///< key of its form (fields/form_table.hpp)
  /// By operand of the PTX instruction: the source operands of the form that read it, by index.
  std::vector<std::vector<int>> sources;
  /// Keys of the forms that ptxas uses as well where it makes several copies; the first of each opcode.
  std::vector<std::string> others;

  /// The keys of all of them, its own first.
  [[nodiscard]] std::vector<std::string> forms() const;
  bool operator==(const OneWord&) const = default;
};

/// Nothing if the body has several words.
[[nodiscard]] std::optional<OneWord> one_word_of(const Body& body, const PtxInstruction& instruction);

/// The forms of the other opcodes in a listing of which ptxas makes further copies of what `own` does: the first of
/// each.
[[nodiscard]] std::vector<std::string> other_forms(const Listing& listing, const Code& further, const std::string& own);

}  // namespace warpclock
