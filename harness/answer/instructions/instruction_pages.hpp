#pragma once

#include <span>
#include <string>

#include "record/instruction_record.hpp"

namespace warpclock {

/// RFC 4180, UTF-8, with a header and one row for each instruction. Cycles and rates have the record's digits; the
/// columns of operands (`latency`, `encoded`) have one decimal. A column of several values separates them with blanks,
/// labels with "; ".
[[nodiscard]] std::string render_instruction_csv(const InstructionTable& table);

/// XML in the style of uops.info's instructions.xml, with an architecture for each table:
///   <root><architecture name="sm_90a" device="NVIDIA H200" ...>
///     <instruction id ptx family section types outcome sass pipes labels throughput interval saturation>
///       <operand idx="1" name="d"/> ...
///       <latency start_op="a" target_op="d" cycles low high encoded via="MOV:2 IADD3:4"/> ...
///       <reason stage code>text</reason> <finding>text</finding>
/// Empty attributes are left out. throughput: thread results per clock and SM; interval and latencies: cycles.
[[nodiscard]] std::string render_instruction_xml(std::span<const InstructionTable> tables);

}  // namespace warpclock
