#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "base/terminal.hpp"
#include "cli/answers/asked_line.hpp"
#include "measure/measure_instructions.hpp"

namespace warpclock {

/// A compiled instruction or block on one architecture. `gpu` is the name of the GPU that ran it, or empty.
struct CompiledAnswer {
  const Subject& subject;
  const MeasuredInstruction& found;
  std::string gpu;
};

/// "4 cycles", "a b 4, c variable cycles", "rejected: folded": measured, or encoded if nothing ran.
[[nodiscard]] std::string headline(const MeasuredInstruction& found);

/// Whether each experiment has a verified window. An architecture that lacks the instruction has none to verify.
[[nodiscard]] bool all_verified(const MeasuredInstruction& found);
/// Whether the architecture lacks the instruction.
[[nodiscard]] bool is_lacking(const MeasuredInstruction& found);

/// "fma.rn.f32 {d}, {a}, {b}, {c}: 4 cycles (sm_90a, encoded)", and below it what that is made of; with `show` also the
/// windows.
[[nodiscard]] std::string compiled_text(const AskedLine& asked, const CompiledAnswer& answer, bool show,
                                        const Style& style);
/// The same for programs.
[[nodiscard]] nlohmann::ordered_json compiled_json(const AskedLine& asked, const CompiledAnswer& answer);

/// The lines of throughput, issue interval and issue of a measured row; of a block, a result is a thread's pass.
[[nodiscard]] std::string rates_text(const InstructionRecord& row, bool block, const Style& style);
/// Which operands have no latency, and why, for instructions whose experiments the row has.
[[nodiscard]] std::string not_measured_text(const PtxInstruction& instruction, const InstructionRecord& row,
                                            const Style& style);
[[nodiscard]] nlohmann::ordered_json not_measured_json(const PtxInstruction& instruction, const InstructionRecord& row);

/// The head of every answer in JSON: what was asked, and the number of its line in standard input.
[[nodiscard]] nlohmann::ordered_json asked_json(const AskedLine& asked);
/// The answer to a line that cannot be answered.
[[nodiscard]] nlohmann::ordered_json refused_json(const AskedLine& asked, const Error& error);

/// "ptx  shfl.sync.bfly.b32 {d}, {a}, 1, 31, 0xffffffff" if that is not what was asked, and operands that were replaced
/// by a constant.
[[nodiscard]] std::string form_text(const AskedLine& asked, const Subject& subject, const Style& style);
[[nodiscard]] nlohmann::ordered_json constants_json(const Subject& subject);

/// An estimate as `cycles --json` and records have it.
[[nodiscard]] nlohmann::ordered_json json_of(const Estimate& estimate);

}  // namespace warpclock
