#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/instruction_record.hpp"

namespace warpclock {

/// What all tables of instructions share.

/// The estimate of that name; nullptr if there is none or the row is not measured.
[[nodiscard]] const Estimate* published(const InstructionRecord& row, std::string_view name);

struct OperandLatency {
  std::string operand;
  const Estimate* measured = nullptr;
  const Estimate* encoded = nullptr;  ///< nullptr if the machine code encodes none
};

/// The latencies in the order of the estimates; empty if the row is not measured. Points into `row`.
[[nodiscard]] std::vector<OperandLatency> latencies(const InstructionRecord& row);

/// "a=4.0 b=4.0 c=6.0"
[[nodiscard]] std::string latency_list(const InstructionRecord& row);
/// "a=4 b=4": only the encoded ones.
[[nodiscard]] std::string encoded_list(const InstructionRecord& row);
/// "a b 4.0, c 6.0": operands grouped by value.
[[nodiscard]] std::string latency_groups(const InstructionRecord& row);

/// Multiply-adds per clock and SM at the published throughput, for mma and wmma.mma; for others nothing.
[[nodiscard]] std::optional<double> multiply_adds(const InstructionRecord& row);

/// The kind of window in which the published throughput was measured: "" for copies as the compiler left them,
/// "composed" for copies of the machine code of one instance (compose/).
[[nodiscard]] std::string rate_window(const InstructionRecord& row);

/// Other opcodes of which the copies of a latency are: ptxas uses several for one operation to balance the pipes, so
/// the latency is a mean over them. Only of instructions that became one machine instruction.
[[nodiscard]] std::vector<std::string> alternatives(const InstructionRecord& row);

/// The labels of the row, and "alternates with HFMA2".
[[nodiscard]] std::vector<std::string> labels_of(const InstructionRecord& row);

/// "FFMA", "IMAD x2, IADD3"; `times` is the text before a count.
[[nodiscard]] std::string opcode_groups(const std::vector<std::string>& opcodes, std::string_view times);

/// "fma.rn.f32 d, a, b, c" from "fma.rn.f32 {d}, {a}, {b}, {c}".
[[nodiscard]] std::string plain_ptx(std::string_view ptx);
/// The names of the placeholders in the order of first mention.
[[nodiscard]] std::vector<std::string> placeholders(std::string_view ptx);

/// Families in the order of first mention, each with its rows. Points into `table`.
struct InstructionFamily {
  std::string name;
  std::vector<const InstructionRecord*> rows;
};
[[nodiscard]] std::vector<InstructionFamily> families(const InstructionTable& table);

}  // namespace warpclock
