#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/catalogue/guide.hpp"
#include "record/record.hpp"

namespace warpclock {

/// What the page says of machine instructions.

/// "A" for source operand 0.
[[nodiscard]] std::string operand_letter(int source);
/// "A 4 · B 4 · C 4": the operands with a measured latency, to a tenth of a cycle.
[[nodiscard]] std::string machine_latencies(const Row& row);
/// "2.005": cycles between two instructions on one sub-partition; or empty.
[[nodiscard]] std::string issue_interval_text(const Row& row);

struct MachineCounts {
  std::size_t rows = 0, measured = 0;
  std::size_t intervals = 0;  ///< rows with an issue interval
  std::size_t complete = 0;   ///< rows with a latency from each of their operands, and at least one operand
  std::vector<std::pair<std::string, std::size_t>> without;  ///< by code, the most frequent first
};
/// Of the rows of forms.
[[nodiscard]] MachineCounts count_rows(const Record& table);

/// A row and the table that has it.
struct TabledRow {
  const Record& table;
  const Row& row;
};

/// What a number of a row was timed with, as a text that rows have in common only if it was the same machine code: the
/// key of the form, for one machine instruction, or the hash of the window. Values that were chosen for operands are
/// set before a window begins, so with them the commit is part of the text. Empty if the record does not say.
[[nodiscard]] std::string timed_code(const TabledRow& of, const std::string& estimate);

/// Which latencies, throughput and issue both rows have with disjoint intervals, but of other machine code: such
/// numbers say nothing about the two GPUs. None for GPUs of two architectures, whose machine code always differs.
[[nodiscard]] std::vector<std::string> of_other_code(const TabledRow& one, const TabledRow& other);

/// "latency.a, issue: no comparison with NVIDIA H200, whose record timed other machine code (commits d6cf51e1 and
/// 3898ab8c)", or empty if there is no such number.
[[nodiscard]] std::string other_code_in_words(const TabledRow& one, const TabledRow& other);

/// What all tables of instructions share.

struct OperandLatency {
  std::string operand;
  const Estimate* measured = nullptr;
  const Estimate* encoded = nullptr;  ///< nullptr if the machine code encodes none
};

/// The latencies in the order of the estimates; empty if the row is not measured. Points into `row`.
[[nodiscard]] std::vector<OperandLatency> latencies(const Row& row);

/// "a=4.0 b=4.0 c=6.0"
[[nodiscard]] std::string latency_list(const Row& row);
/// "a=4 b=4": only the encoded ones.
[[nodiscard]] std::string encoded_list(const Row& row);
/// "a b 4.0, c 6.0": operands grouped by value.
[[nodiscard]] std::string latency_groups(const Row& row);

/// Multiply-adds per clock and SM at the published throughput, for mma and wmma.mma; for others nothing.
[[nodiscard]] std::optional<double> multiply_adds(const Row& row);

/// The kind of window in which the published throughput was measured: "" for copies as the compiler left them,
/// "composed" for copies of the machine code of one instance (compose/).
[[nodiscard]] std::string rate_window(const Row& row);

/// The labels of the row, and "alternates with HFMA2".
[[nodiscard]] std::vector<std::string> labels_of(const Row& row);

/// "FFMA", "IMAD x2, IADD3"; `times` is the text before a count.
[[nodiscard]] std::string opcode_groups(const std::vector<std::string>& opcodes, std::string_view times);

/// "fma.rn.f32 d, a, b, c" from "fma.rn.f32 {d}, {a}, {b}, {c}".
[[nodiscard]] std::string plain_ptx(std::string_view ptx);
/// The names of the placeholders in the order of first mention.
[[nodiscard]] std::vector<std::string> placeholders(std::string_view ptx);

/// Compares the measurements with the guide, one line for every operation of every row, in the guide's order. The rate
/// of a line is the throughput of the counterpart times the results of one instruction. Empty for a guide without rows.
/// If the guide has no column for the device, `missing` says so.
[[nodiscard]] GuideComparison compare_with_guide(const Guide& guide, const Record& table);

/// "20 of 23 rows at 98 % or more; below: vote; another rate, explained: fp16, bit fields". Empty if nothing was
/// compared.
[[nodiscard]] std::string guide_summary(const GuideComparison& comparison);

/// The lines of one row, in the guide's order. Points into `comparison`.
struct GuideRowLines {
  std::string name;
  std::vector<const GuideLine*> lines;
};
[[nodiscard]] std::vector<GuideRowLines> guide_rows(const GuideComparison& comparison);

/// A line as text.
struct GuideCells {
  std::string documented;  ///< "64", "several", or empty if no cell is known
  std::string measured;    ///< "174.9", with the number of results if an instruction has several
  std::string interval;    ///< "167.6 - 207.2"
  std::string ratio;       ///< "0.683"
  std::string verdict;     ///< with the trick that kept the copies apart, if any
};
[[nodiscard]] GuideCells guide_cells(const GuideLine& line);

/// Sentences about a row: why an instruction counts twice, why its rate is not the hardware's, what is unconfirmed.
[[nodiscard]] std::string guide_note(const GuideRowLines& row);

/// RFC 4180, UTF-8, with a header and one row for each instruction. Cycles and rates have the record's digits; the
/// columns of operands (`latency`, `encoded`) have one decimal. A column of several values separates them with blanks,
/// labels with "; ".
[[nodiscard]] std::string render_instruction_csv(const Record& table);

/// XML in the style of uops.info's instructions.xml, with an architecture for each table:
///   <root><architecture name="sm_90a" device="NVIDIA H200" ...>
///     <instruction id ptx family section types outcome sass pipes labels throughput interval saturation>
///       <operand idx="1" name="d"/> ...
///       <latency start_op="a" target_op="d" cycles low high encoded via="MOV:2 IADD3:4"/> ...
///       <reason stage code>text</reason> <finding>text</finding>
/// Empty attributes are left out. throughput: thread results per clock and SM; interval and latencies: cycles.
[[nodiscard]] std::string render_instruction_xml(std::span<const Record> tables);

}  // namespace warpclock
