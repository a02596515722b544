#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "report/instruction_record.hpp"
#include "report/schema.hpp"

namespace warpclock {

/// Of instructions.json. A minor version may add keys, and elements at the end of arrays; older readers pass over them.
constexpr SchemaVersion instruction_schema = {1, 1, 0};

/// With the digits that instructions.json keeps: sampled cycles to 0.01, counters to ten significant digits, points of
/// curves to five, other numbers to six; hashes to 16 characters. Renderers give the same bytes from what was measured
/// and from what was read only after this.
[[nodiscard]] InstructionTable rounded(InstructionTable table);
[[nodiscard]] double rounded_cycles(double cycles);

/// The text of instructions.json, rounded: the same bytes for the same table. A row takes a line. To stay small it
/// leaves out what is empty or follows (an outcome of "measured", the device's architecture, a family that the id
/// begins with) and writes
///   texts       every SASS line, long text and name of a measure once; rows give their indexes
///   mixes       the opcodes of windows, ["CS2R", 2, "FFMA", 16]; runs give their indexes
///   kinds       [name, unit, method] of estimates
///   estimates   [[kind, value, low, high, n, note]]
///   sass        [3, [16, 4], 5]: text 3, text 4 sixteen times, text 5
///   samples     [[warps, [n, base, over, over, [over, 13]]]]: cycles over a common base; the last ones thirteen times
///   curve       [[warps, ilp, rate, low, high]]
///   via         [["MOV", 2]]: companion and cycles
///   reason      [stage, code, text]
///   clock       [SM MHz, memory MHz, W, degrees Celsius, throttle reasons ...]
/// Since 1.1, beside the rows, what was held against NVIDIA's table of results a clock and SM (its cells are reference
/// and no result):
///   guide       {row, short, operation, id, results, documented, several, measured: [value, low, high], ratio, verdict, trick,
///               source, because, unconfirmed, why}: an operation of a row of that table a line
///   guide_title, guide_missing: which table, and why there are no lines
[[nodiscard]] std::string to_json(const InstructionTable& table);

/// Errors as parse_record(): "record", "record-version". Foreign input never crashes and never grows without bound.
[[nodiscard]] Expected<InstructionTable> read_instruction_table(std::string_view text,
                                                                const std::string& place = "instructions.json");

}  // namespace warpclock
