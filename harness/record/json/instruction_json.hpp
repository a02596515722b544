#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "record/instruction_record.hpp"
#include "record/json/schema.hpp"

namespace warpclock {

/// Of instructions.json. A minor version may add keys, and elements at the end of arrays; older readers pass over them.
constexpr SchemaVersion instruction_schema = {2, 0, 0};

/// With the digits that instructions.json keeps: sampled cycles to 0.01, counters to six significant digits, other
/// numbers to five; hashes to 8 characters. Renderers give the same bytes from what was measured
/// and from what was read only after this.
[[nodiscard]] InstructionTable rounded(InstructionTable table);
[[nodiscard]] double rounded_cycles(double cycles);

/// The text of instructions.json, rounded: the same bytes for the same table. A row takes a line. To stay small it
/// leaves out what is empty or follows (an outcome of "measured", the device's architecture, a family that the id
/// begins with; a `ptx` that begins with a space goes on from the name that the id ends with). What rows share stands
/// once, in arrays before the rows, and is meant by its index:
///   texts       sections, types, tricks' failures, notes, ...
///   lists       [word, ...]: pipes, labels, and reasons as [stage, code, text]
///   opcodes, mixes, controls, lines: machine code (row_json.hpp)
///   asks        [measure, verdict, trick]: what a run asked, and how
///   kinds       [name, unit, method, samples] of estimates
///   metrics     names of counters
///   grids       [[warps, ilp], ...] for curves, [[warps, copies, launches], ...] for samples
/// Then a row has
///   estimates   [[kind, value, low, high, note]]: an estimate without low and high has no spread
///   curve       [grid, rate, rate, ...]
///   counters    [metric, value, metric, value, ...]
///   clock       [SM MHz, memory MHz, W, degrees Celsius, throttle reasons ...]
///   sharing     [wait, pause (microseconds), other processes]: what tells of other work on the GPU
///   runs        [[ask, hash, mix, {...}]], the last one with
///     text      why its window was rejected
///     note      what a reader needs beside its number
///     trips     of the loop in its window, when there is one
///     sass      [3, [16, 4], 5] of lines
///     encoded   cycles
///     via       [["MOV", 2]]: companion and cycles
///     samples   [grid, 52, [56, 0, 3, 1]]: 52 cycles in every launch, then 56, 59 and 57 in a launch each
/// Beside the rows stands what was held against NVIDIA's table of results a clock and SM (its cells are reference
/// and no result):
///   guide       {row, short, operation, id, results, documented, several, measured: [value, low, high], ratio,
///   verdict, trick,
///               source, because, unconfirmed, why}: an operation of a row of that table a line
///   guide_title, guide_missing: which table, and why there are no lines
[[nodiscard]] std::string to_json(const InstructionTable& table);

/// Errors as parse_record(): "record", "record-version". Foreign input never crashes and never grows without bound.
[[nodiscard]] Expected<InstructionTable> read_instruction_table(std::string_view text,
                                                                const std::string& place = "instructions.json");

}  // namespace warpclock
