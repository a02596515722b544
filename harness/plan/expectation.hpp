#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/parameters.hpp"

namespace warpclock {

/// How the window is known to hold all of the measured work when the closing clock is read.
enum class Close {
  Result,  ///< every last result is consumed by an instruction between the last target and the closing read
  Memory,  ///< a memory wait (DEPBAR after LDGDEPBAR, a barrier try-wait loop, ...) precedes the closing read
  Issue,   ///< the probe asks for issue cost: nothing is waited for, and the row says so
};

/// An opcode other than the target, and how often it occurs in the window.
struct Counted {
  std::string opcode;
  Product count;
};

/// Which registers the target instructions read. ptxas chooses them, and the choice decides how much the register file
/// can read per clock.
struct Operands {
  /// The percentage of the targets that have so many source registers in the fuller of their two banks.
  std::map<int, Range> in_one_bank;
  std::optional<Range> reuse;  ///< `.reuse` flags per 100 targets
};

/// What a probe claims about the machine code between its two clock reads. An opcode pattern is an opcode with a subset
/// of its modifiers: `HMMA.16816.F32` matches `HMMA.16816.F32.BF16` but not `HMMA.1688.F32`. Text fields may hold
/// `{parameter}`; a plan resolves them.
struct Expectation {
  std::vector<std::string> target;    ///< the measured opcode; several if any of them counts (alternatives)
  Product count;                      ///< how often the target occurs in the window; factor `n` is the repeat count
  std::vector<std::string> also;      ///< further opcodes that may occur in the window
  std::vector<std::string> required;  ///< opcodes of `also` that must occur at least once (the probe's other half)
  /// Opcodes of `also` that must occur exactly so often: a compiler that serializes adds waits of the same opcode.
  std::vector<Counted> exactly;
  /// Opcodes that must precede the opening read, in this order: the last occurrence of each before the first of the
  /// next. What prepares the window (a prefetch, then a delay) is part of the claim, because ptxas reorders it too.
  std::vector<std::string> before;
  /// Cycles from the last but one of `before` (the access) to the opening read; the last of `before` makes up the
  /// delay.
  std::optional<Product> delay;
  bool chain = false;          ///< targets form def-use chains through registers
  Product depth;               ///< length of the longest chain; `n` if the config does not say
  std::optional<int> operand;  ///< the chain runs through this source operand of the SASS (0 = first source)
  bool loop = false;           ///< the window may hold a backward branch; `count` is then per static body
  bool calls = false;          ///< the window may call subroutines that return
  Close close = Close::Result;
  std::optional<Operands> operands;
};

}  // namespace warpclock
