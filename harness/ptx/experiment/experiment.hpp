#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/instruction.hpp"

namespace warpclock {

/// What a kernel measures or shows about an instruction.
enum class Question : std::uint8_t {
  Isolated,    ///< the machine code of one instance; never timed
  Latency,     ///< each instance waits for the previous one through one operand
  Throughput,  ///< `ilp` independent instances at a time
};

/// Keeps the compiler from merging copies (and(and(x, b), b)), from narrowing them, or from computing all of them at
/// once.
enum class Trick : std::uint8_t {
  None,
  /// For a throughput: as many chains as there are registers, with one copy of each in a loop trip, so that no copies
  /// can be merged.
  Spread,
  /// Between two copies, an operation that the compiler cannot simplify is interposed on every word: the bitwise
  /// majority with two other words (one LOP3, on the integer pipe), or a floating-point addition (one FADD). Both have
  /// a fixed latency, which is subtracted and reported. A latency uses the operation on the pipe of the instruction, a
  /// throughput the one on the other pipe. Such a rate is that of the mixture, a lower bound.
  WovenMajority,
  WovenAdd,
  /// Between two copies, a negligible number is added to the operands that are off the chain. Otherwise the compiler
  /// could compute a part (the reciprocal of a divisor) once for all copies. The additions are not on the chain, so
  /// they cost issue slots but no latency. Operands of a block must keep every bit: one PRMT moves their bytes to their
  /// own positions, by a selector that the compiler does not know.
  Refreshed,
  /// The same with the bitwise majority, for instructions that contain additions and for operands that are not numbers.
  RefreshedMajority,
  /// Every copy runs under one of three predicates, which are true but unknown to the compiler.
  Guarded,
  /// Each word of each result is merged by a bitwise majority into one of three additional registers. Used if there is
  /// no operand to interpose on and a predicate would become a branch.
  Gathered,
};

[[nodiscard]] std::string_view name(Trick trick);  ///< "", "spread", "woven LOP3", "refreshed", ...

struct Experiment {
  Question question = Question::Isolated;
  std::vector<Link> links;  ///< none or one; Latency has one
  int ilp = 1;
  int trips = 1;  ///< of a loop inside the window: a throughput needs long windows, but long code takes long to compile
  Trick trick = Trick::None;

  /// "isolated", "latency.a", "throughput.ilp4", for a block "iteration.f1"
  [[nodiscard]] std::string name(const PtxInstruction& instruction) const;

  bool operator==(const Experiment&) const = default;
};

/// Whether result `from` can be source `to` without an instruction between them.
[[nodiscard]] bool direct(const PtxInstruction& instruction, Link link);

/// Whether both are the same registers: a direct link without an interposed operation.
[[nodiscard]] bool in_place(const PtxInstruction& instruction, const Experiment& experiment);

[[nodiscard]] bool is_woven(Trick trick);
[[nodiscard]] bool is_refreshed(Trick trick);

/// Results of a block that no later copy would read. The compiler would drop the code that leads only to them, so the
/// kernel keeps something of each. Guarded copies do not need this.
[[nodiscard]] std::vector<std::size_t> kept_results(const PtxInstruction& instruction, const Experiment& experiment);

/// Sources off the chain that are made opaque to the compiler again between copies: those of Trick::Refreshed, and
/// those of a block with interposed operations, because the compiler would otherwise compute the rest of it only once.
/// For a block they include addresses; otherwise the memory at these would be read once for all copies.
[[nodiscard]] std::vector<std::size_t> refreshed_sources(const PtxInstruction& instruction,
                                                         const Experiment& experiment);

/// What to try next if the compiler did not leave `tried` as intended; nothing after the last resort. `multiplies`: the
/// instruction runs on the multiply-add pipe; `size`: its number of machine instructions.
[[nodiscard]] std::optional<Experiment> next_experiment(const PtxInstruction& instruction, const Experiment& tried,
                                                        bool multiplies, std::int64_t size);

/// The copies of a spread throughput.
struct SpreadCopies {
  int at_a_time = 1;  ///< the experiment's ilp
  std::vector<std::int64_t> repeats;

  [[nodiscard]] int most() const { return static_cast<int>(repeats.back()) * at_a_time; }
};

/// As many chains through a link as there are registers for. Nothing if results are also sources, or are predicates.
[[nodiscard]] std::optional<SpreadCopies> spread_copies_of(const PtxInstruction& instruction, Link link);

/// Whether a load's result is itself the next address, which memory holds, rather than a zero added to the address.
[[nodiscard]] bool chases(const PtxInstruction& instruction, Link link);

/// How many elements of the result the next copy reads if no operation is interposed.
[[nodiscard]] int read_elements(const PtxInstruction& instruction, Link link);

/// Whether all copies compute the same number, which the compiler knows or reads once, so that there is no throughput
/// to measure.
[[nodiscard]] bool makes_constant(const PtxInstruction& instruction);

/// One latency experiment for every source that a result can reach, in the order of the operands. For a block, one for
/// every register that it carries on; its latencies between registers are measured on separate parts
/// (ptx/experiment/ways.hpp).
[[nodiscard]] std::vector<Experiment> latency_experiments(const PtxInstruction& instruction);

/// The first throughput experiment to try: four chains, through a direct link if there is one. Without any link: plain
/// copies, guarded if the instruction has results or stores, so that the copies are not removed.
[[nodiscard]] Experiment throughput_experiment(const PtxInstruction& instruction, bool multiplies, std::int64_t size);

}  // namespace warpclock
