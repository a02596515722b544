#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "record/json/schema.hpp"
#include "record/machine_record.hpp"

namespace warpclock {

/// Of machine.json. A minor version may add keys, and elements at the end of arrays; older readers pass over them.
constexpr SchemaVersion machine_schema = {1, 0, 0};

/// With the digits that machine.json keeps: sampled cycles to 0.01, other numbers to five significant digits. Renderers
/// give the same bytes from what was measured and from what was read only after this.
[[nodiscard]] MachineTable rounded(MachineTable table);

/// 32 hexadecimal digits, the high half first.
[[nodiscard]] std::string hex_word(const Word& word);

/// The text of machine.json, rounded: the same bytes for the same table. A row takes a line, without what is empty or
/// absent. What rows share stands once, in arrays before the rows, and is meant by its index:
///   texts     notes
///   reasons   [code, text, place] why a row has nothing
///   kinds     [name, unit, method, samples] of estimates
///   machine   [warps, stall, yield, n, n, ...]: where a cell is, and over which numbers of instructions its curve
///             goes; no other file of the program has this key
/// Then a row has
///   key, text, word    the form, the instruction, and its word (hex_word)
///   scoreboard         true where one says when the result is there
///   encoded            the fewest cycles that ptxas leaves before a result of fixed latency is read
///   latencies          [{from, operand, through, through_cycles, cycles, least, busy, wrong, note}]: the source
///                      operand, what brings the result back to it and its cycles, the measured cycles as an estimate,
///                      the least right stall count of a warp alone and of one among others, and those that gave a
///                      wrong result
///   cells              [[place, [cycles, ...], cycles, low, high, note]] of the window for each n and of one
///                      instruction; the last four, or the last three, are left out where they say nothing
///   interval           an estimate (row_json.hpp)
///   reason             index of reasons
[[nodiscard]] std::string to_json(const MachineTable& table);

/// Errors as parse_record(): "record", "record-kind", "record-version". Foreign input never crashes and never grows
/// without bound.
[[nodiscard]] Expected<MachineTable> read_machine_table(std::string_view text,
                                                        const std::string& place = "machine.json");

}  // namespace warpclock
