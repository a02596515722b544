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

/// What keeps the compiler from merging copies (and(and(x, b), b)), from narrowing them, or from computing all of them
/// at once.
enum class Trick : std::uint8_t {
  None,
  /// A throughput with as many chains as there are registers, one copy of each in a trip of the loop, which nothing can
  /// be merged over.
  Spread,
  /// Between two copies every word on its way goes through an operation that no algebra goes through: the bitwise
  /// majority with two other words (one LOP3, on the integer pipe), or a floating-point addition (one FADD). Both
  /// have a fixed latency; what it costs is taken off and said. A latency is woven with what is on the pipe of the
  /// instruction, a throughput with what is on the other: such a rate is of the mixture, and a lower bound.
  WovenMajority,
  WovenAdd,
  /// Between two copies the operands that are off the chain go through an addition of next to nothing: what a compiler
  /// could compute once for all copies (the reciprocal of a divisor) it computes for each. Not on the chain, so it
  /// costs issue slots and no latency. Those of a block keep every bit: their bytes are put where they are (one PRMT)
  /// by a selector that no compiler knows.
  Refreshed,
  /// The same with the bitwise majority, for what has additions of its own and for operands that are no numbers.
  RefreshedMajority,
  /// Every copy runs under one of three predicates that are true and that the compiler does not know.
  Guarded,
  /// Each word of each result goes through a bitwise majority into one of three registers beside the copies, where
  /// there is no operand to weave through and a predicate would become a branch.
  Gathered,
};

[[nodiscard]] std::string_view name(Trick trick);  ///< "", "spread", "woven LOP3", "refreshed", ...

struct Experiment {
  Question question = Question::Isolated;
  std::vector<Link> links;  ///< none or one; Latency has one
  int ilp = 1;
  int trips = 1;  ///< of a loop inside the window: a throughput needs long windows, and long code takes long to compile
  Trick trick = Trick::None;

  /// "isolated", "latency.a", "throughput.ilp4", of a block "iteration.f1"
  [[nodiscard]] std::string name(const PtxInstruction& instruction) const;

  bool operator==(const Experiment&) const = default;
};

/// Whether result `from` can become source `to` with no instruction between them.
[[nodiscard]] bool direct(const PtxInstruction& instruction, Link link);

/// Whether they are the same registers: a direct link that nothing is woven into.
[[nodiscard]] bool in_place(const PtxInstruction& instruction, const Experiment& experiment);

[[nodiscard]] bool is_woven(Trick trick);
[[nodiscard]] bool is_refreshed(Trick trick);

/// Results of a block that no later copy would read, so that the compiler would drop what leads to them alone: the
/// kernel keeps something of each. Guarded copies need none of that.
[[nodiscard]] std::vector<std::size_t> kept_results(const PtxInstruction& instruction, const Experiment& experiment);

/// Sources off the chain that are renewed between copies: those of Trick::Refreshed, and of a woven block, of which the
/// compiler would else compute the rest once. Of a block the addresses with them, or it would read the memory behind
/// them once for all copies.
[[nodiscard]] std::vector<std::size_t> refreshed_sources(const PtxInstruction& instruction,
                                                         const Experiment& experiment);

/// What to try next when the compiler did not leave `tried` as it was meant; nothing after the last resort.
/// `multiplies`: the instruction runs where multiply-adds do; `size`: how many machine instructions it is.
[[nodiscard]] std::optional<Experiment> next_experiment(const PtxInstruction& instruction, const Experiment& tried,
                                                        bool multiplies, std::int64_t size);

/// Copies of a spread throughput.
struct SpreadCopies {
  int at_a_time = 1;  ///< the experiment's ilp
  std::vector<std::int64_t> repeats;

  [[nodiscard]] int most() const { return static_cast<int>(repeats.back()) * at_a_time; }
};

/// As many chains through a link as there are registers for. None where results are also sources, or predicates.
[[nodiscard]] std::optional<SpreadCopies> spread_copies_of(const PtxInstruction& instruction, Link link);

/// Whether a load's result is itself the next address (memory holds it), and not added to the address as a zero.
[[nodiscard]] bool chases(const PtxInstruction& instruction, Link link);

/// How many elements of the result the next copy reads, where nothing is woven in.
[[nodiscard]] int read_elements(const PtxInstruction& instruction, Link link);

/// Whether all copies make the same number, which a compiler knows or reads once: there is no throughput to ask for.
[[nodiscard]] bool makes_constant(const PtxInstruction& instruction);

/// One latency experiment for every source that a result can reach, in the order of the operands. Of a block, which is
/// asked from register to register in parts of its own (ptx/experiment/ways.hpp): for every register that it carries
/// on.
[[nodiscard]] std::vector<Experiment> latency_experiments(const PtxInstruction& instruction);

/// Independent copies. The first to be tried: four chains, through a direct link if there is one; without any link,
/// copies as they are, guarded where an instruction has results or stores, so that they stay.
[[nodiscard]] Experiment throughput_experiment(const PtxInstruction& instruction, bool multiplies, std::int64_t size);

}  // namespace warpclock
