#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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

struct Experiment {
  Question question = Question::Isolated;
  std::vector<Link> links;  ///< none or one; Latency has one
  int ilp = 1;
  /// Every copy runs under one of three predicates that are true and that the compiler does not know: it can then neither
  /// merge neighbours (and(and(x, b), b)) nor compute the repetition away. Fixed-latency results arrive as they do
  /// unguarded (docs/design.md has the measurement).
  bool guarded = false;

  /// "isolated", "latency.a", "throughput.ilp4"
  [[nodiscard]] std::string name(const PtxInstruction& instruction) const;

  bool operator==(const Experiment&) const = default;
};

/// Whether result `from` can become source `to` with no instruction between them.
[[nodiscard]] bool direct(const PtxInstruction& instruction, Link link);

/// One latency experiment for every source that a result can reach, in the order of the operands.
[[nodiscard]] std::vector<Experiment> latency_experiments(const PtxInstruction& instruction);

/// Independent copies, one experiment each of `ilps`. Copies follow each other through the first direct link; where
/// there is none, an instruction with a result is guarded, so that its copies stay.
[[nodiscard]] std::vector<Experiment> throughput_experiments(const PtxInstruction& instruction,
                                                             const std::vector<int>& ilps);

}  // namespace warpclock
