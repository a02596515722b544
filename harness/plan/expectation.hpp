#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/parameters.hpp"

namespace warpclock {

/// How the window is known to hold the whole of the measured work when the closing clock is read.
enum class Close {
  Result,  ///< every last result is consumed by an instruction between the last target and the closing read
  Memory,  ///< a memory wait (DEPBAR after LDGDEPBAR, a barrier try-wait loop, ...) stands before the closing read
  Issue,   ///< the probe asks for issue cost: nothing is waited for, and the row says so
};

/// An opcode beside the target, and how often it stands in the window.
struct Counted {
  std::string opcode;
  Product count;
};

/// Which registers the target instructions read. ptxas chooses them, and what the register file can read in a clock
/// depends on the choice.
struct Operands {
  /// Percent of the targets, by how many source registers are in the fuller of their two banks.
  std::map<int, Range> in_one_bank;
  std::optional<Range> reuse;  ///< flags `.reuse` for 100 targets
};

/// What a probe claims stands between its two clock reads. Opcode patterns are an opcode with a subset of its
/// modifiers: `HMMA.16816.F32` matches `HMMA.16816.F32.BF16` and not `HMMA.1688.F32`.
/// Text fields may hold `{parameter}`; a plan resolves them.
struct Expectation {
  std::vector<std::string> target;    ///< the measured opcode; several when any of them counts (alternatives)
  Product count;                      ///< how often the target stands in the window; factor `n` is the repeat count
  std::vector<std::string> also;      ///< further opcodes that may stand in the window
  std::vector<std::string> required;  ///< opcodes of `also` that must occur at least once (the probe's other half)
  /// Opcodes of `also` that must occur so often and no oftener: a compiler that serializes adds waits of the same
  /// opcode.
  std::vector<Counted> exactly;
  /// Opcodes that must stand before the opening read, in this order: the last of each before the first of the next.
  /// What prepares the window (a prefetch, then a delay) is part of the claim, and ptxas reorders it too.
  std::vector<std::string> before;
  /// Cycles from the access before the last of `before`, which is what the delay is made of, to the opening read.
  std::optional<Product> delay;
  bool chain = false;          ///< targets form def-use chains through registers
  Product depth;               ///< length of the longest chain; `n` when the config is silent
  std::optional<int> operand;  ///< the chain runs through this source operand of the SASS (0 = first source)
  bool loop = false;           ///< the window may hold a backward branch; `count` is then per static body
  bool calls = false;          ///< the window may call subroutines, which come back
  Close close = Close::Result;
  std::optional<Operands> operands;
};

}  // namespace warpclock
