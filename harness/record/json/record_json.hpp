#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "record/json/schema.hpp"
#include "record/record.hpp"

namespace warpclock {

/// Of result.json. A minor version may add keys, and elements at the end of arrays; older readers pass over them.
constexpr SchemaVersion schema_version = {2, 0, 0};

/// The text of result.json: the same bytes for the same record. Whole numbers are written without a point, other
/// doubles with the fewest digits that read back the same, a number that is not finite as null. A case takes a line. It
/// leaves out what is empty or follows: an outcome of "measured", and an id that is `probe[name=value,...]`. What cases
/// share stands once, in arrays before the cases, and is meant by its index:
///   texts       why counters are missing
///   groups      [probe, family, arch, [name of a parameter, ...]]
///   reasons     [stage, code, text]
///   opcodes, mixes, controls, lines: machine code (row_json.hpp)
///   ptx         a line of PTX
///   kernels     {verdict, label, mix, hash, encoded, sass: [line, ...], ptx: [ptx, ...]}: a window and its PTX, whose
///               lines may be repeats as in row_json.hpp
///   measures, rules: what was asked of a case and what had to hold, as objects
///   kinds       [name, unit, method, samples, note] of estimates
///   judgements  [text, known, held, why unknown] of premises
///   names       of facts and counters
/// Then a case has
///   group, kernel, reason, counters_missing: an index
///   at          [value, ...] of the group's parameters
///   estimates   [[kind, value, low, high]]: without low and high where both are the value
///   premises    [[judgement, value]]
///   measures, rules: [index, ...]
///   samples     [[n, cycles, cycles, ...]]
///   facts, counters: [name, value, name, value, ...]
///   clock       [SM MHz, memory MHz, W, degrees Celsius, throttle reasons ...]
///   sharing     [wait, pause (microseconds), other processes]: what tells of other work on the GPU
/// Probes, metrics and features are objects, a line each.
[[nodiscard]] std::string to_json(const Record& record);

/// Reads this version, and 1.x, which wrote every case out. Errors: "record" (the text says where:
/// `cases[3].samples[0][0]: ...`) and "record-version". Keys that this version does not know are passed over. Foreign
/// input never crashes and never grows without bound. `place` is the file's name for messages.
[[nodiscard]] Expected<Record> parse_record(std::string_view text, const std::string& place = "result.json");

/// One case on one line, without a newline and with nothing shared, for the journal that a killed run resumes from.
[[nodiscard]] std::string to_json_line(const CaseRecord& record);
[[nodiscard]] Expected<CaseRecord> parse_case_record(std::string_view line, const std::string& place = "journal");

}  // namespace warpclock
