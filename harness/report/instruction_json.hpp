#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "report/instruction_record.hpp"
#include "report/schema.hpp"

namespace warpclock {

/// Of instructions.json. A minor version may add keys, and elements at the end of arrays; older readers pass over them.
constexpr SchemaVersion instruction_schema = {1, 0, 0};

/// With the digits that instructions.json keeps: sampled cycles to 0.01, counters to ten significant digits, other
/// numbers to six. Renderers give the same bytes from what was measured and from what was read only after this.
[[nodiscard]] InstructionTable rounded(InstructionTable table);

/// The text of instructions.json, rounded: the same bytes for the same table. A row takes a line. To stay small it
/// leaves out what is empty or follows (an outcome of "measured", the device's architecture, a family that the id
/// begins with) and writes
///   texts       every SASS line and every long text once; rows give their indexes
///   sass        [3, [16, 4], 5]: text 3, text 4 sixteen times, text 5
///   samples     [[warps, [n, cycles, cycles, [cycles, 13]]]]: the last one stands there 13 times
///   estimates   [[name, value, low, high, unit, method, n, note]]
///   curve       [[warps, ilp, rate, low, high]]
///   opcodes     ["CS2R", 2, "FFMA", 16]
///   via         [["MOV", 2]]: companion and cycles
///   reason      [stage, code, text]
///   clock       [SM MHz, memory MHz, W, degrees Celsius, throttle reasons ...]
[[nodiscard]] std::string to_json(const InstructionTable& table);

/// Errors as parse_record(): "record", "record-version". Foreign input never crashes and never grows without bound.
[[nodiscard]] Expected<InstructionTable> read_instruction_table(std::string_view text,
                                                                const std::string& place = "instructions.json");

}  // namespace warpclock
