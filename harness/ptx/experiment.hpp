#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/instruction.hpp"

namespace warpclock {

/// What a kernel is to show of an instruction.
enum class Question : std::uint8_t {
  Isolated,    ///< what one instance becomes; never timed
  Latency,     ///< each instance waits for the one before it, through one operand
  Throughput,  ///< `ilp` independent instances at a time
};

/// How copies reach each other: the result `from` becomes the source `to` of the next one.
struct Link {
  std::size_t from = 0, to = 0;  ///< operands

  bool operator==(const Link&) const = default;
};

/// What keeps the compiler from merging copies (and(and(x, b), b)), from narrowing them, or from computing all of them
/// at once.
enum class Trick : std::uint8_t {
  None,
  /// Between two copies every word on its way goes through an operation that no algebra goes through: the bitwise
  /// majority with two other words (one LOP3, on the integer pipe), or a floating-point addition (one FADD). Both
  /// have a fixed latency; what it costs is taken off and said. A latency is woven with what is on the pipe of the
  /// instruction, a throughput with what is on the other.
  WovenMajority,
  WovenAdd,
  /// Between two copies the operands that are off the chain go through an addition of next to nothing: what a compiler
  /// could compute once for all copies (the reciprocal of a divisor) it computes for each. Not on the chain, so it
  /// costs issue slots and no latency.
  Refreshed,
  /// The same with the bitwise majority, for what has additions of its own and for operands that are no numbers.
  RefreshedMajority,
  /// Every copy runs under one of three predicates that are true and that the compiler does not know.
  Guarded,
  /// Each word of each result goes through a bitwise majority into one of three registers beside the copies, where
  /// there is no operand to weave through and a predicate would become a branch.
  Gathered,
};

[[nodiscard]] std::string_view name(
    Trick trick);  ///< "", "woven LOP3", "woven FADD", "refreshed", "refreshed LOP3", "guarded", "gathered"

struct Experiment {
  Question question = Question::Isolated;
  std::vector<Link> links;  ///< none or one; Latency has one
  int ilp = 1;
  Trick trick = Trick::None;

  /// "isolated", "latency.a", "throughput.ilp4"
  [[nodiscard]] std::string name(const PtxInstruction& instruction) const;

  bool operator==(const Experiment&) const = default;
};

/// Whether result `from` can become source `to` with no instruction between them.
[[nodiscard]] bool direct(const PtxInstruction& instruction, Link link);

/// Whether they are the same registers: a direct link that nothing is woven into.
[[nodiscard]] bool in_place(const PtxInstruction& instruction, const Experiment& experiment);

[[nodiscard]] bool is_woven(Trick trick);
[[nodiscard]] bool is_refreshed(Trick trick);

/// What to try next when the compiler did not leave `tried` as it was meant; the last resort has none.
/// `multiplies`: the instruction runs where multiply-adds do; `several`: it is more than one machine instruction.
[[nodiscard]] std::optional<Trick> next_trick(const PtxInstruction& instruction, const Experiment& tried,
                                              bool multiplies, bool several);

/// Whether a load's result is itself the next address (memory holds it), and not added to the address as a zero.
[[nodiscard]] bool chases(const PtxInstruction& instruction, Link link);

/// How many elements of the result the next copy reads, where nothing is woven in.
[[nodiscard]] int read_elements(const PtxInstruction& instruction, Link link);

/// One latency experiment for every source that a result can reach, in the order of the operands.
[[nodiscard]] std::vector<Experiment> latency_experiments(const PtxInstruction& instruction);

/// Independent copies, one experiment each of `ilps`. The copies of a chain follow each other through the first direct
/// link (one chain alone is left to the latency of that link), else woven through the first link; without any, an
/// instruction with a result is guarded, so that they stay.
[[nodiscard]] std::vector<Experiment> throughput_experiments(const PtxInstruction& instruction,
                                                             const std::vector<int>& ilps);

}  // namespace warpclock
