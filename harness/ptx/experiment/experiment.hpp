#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/instruction.hpp"

namespace warpclock {

/// What a kernel measures or shows about an instruction.
enum class Question : std::uint8_t {
  Isolated,    ///< the machine code of one instance; never timed
  Latency,     ///< each instance waits for the previous one through one operand
  Throughput,  ///< `ilp` independent instances at a time
};

struct Experiment {
  Question question = Question::Isolated;
  std::vector<Link> links;  ///< none or one; Latency has one
  int ilp = 1;
  int trips = 1;  ///< of a loop inside the window: a throughput needs long windows, but long code takes long to compile
  /// The compiler makes one instance, whose machine instructions are placed one after another with other registers
  /// (compose/). Of copies that the compiler itself makes, it merges some (and(and(x, b), b)), narrows others, or
  /// computes all of them at once.
  bool composed = false;
  int words = 0;  ///< composed: machine words of a copy, at most
  int quads = 0;  ///< composed: for results, each four registers in a row

  /// "isolated", "latency.a", "throughput.ilp4", for a block "iteration.f1"
  [[nodiscard]] std::string name(const PtxInstruction& instruction) const;

  bool operator==(const Experiment&) const = default;
};

/// Whether result `from` can be source `to` without an instruction between them.
[[nodiscard]] bool direct(const PtxInstruction& instruction, Link link);

/// Whether both are the same registers.
[[nodiscard]] bool in_place(const PtxInstruction& instruction, const Experiment& experiment);

/// Whether a load's result is itself the next address, which memory holds, rather than a zero added to the address.
[[nodiscard]] bool chases(const PtxInstruction& instruction, Link link);

/// How many elements of the result the next copy reads.
[[nodiscard]] int read_elements(const PtxInstruction& instruction, Link link);

/// Whether all copies compute the same number, which the compiler knows or reads once, so that there is no throughput
/// to measure.
[[nodiscard]] bool makes_constant(const PtxInstruction& instruction);

/// One latency experiment for every source that a result can reach, in the order of the operands. For a block, one for
/// every register that it carries on; its latencies between registers are measured on separate parts
/// (ptx/experiment/ways.hpp).
[[nodiscard]] std::vector<Experiment> latency_experiments(const PtxInstruction& instruction);

/// Four chains through a direct link if there is one; without any link, plain copies. `size`: machine instructions of
/// one instance.
[[nodiscard]] Experiment throughput_experiment(const PtxInstruction& instruction, std::int64_t size);

}  // namespace warpclock
