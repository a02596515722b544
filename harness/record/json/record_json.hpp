#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/json/json_writer.hpp"
#include "base/text.hpp"
#include "record/instruction_record.hpp"
#include "record/kernel_record.hpp"
#include "record/machine_record.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The kinds of records, in the order in which pages link to them.
enum class RecordFile { Result, Instructions, Machine, Cases };

template <>
inline constexpr auto enum_words<RecordFile> =
    std::array<std::string_view, 4>{"result", "instructions", "machine", "cases"};

[[nodiscard]] constexpr RecordFile record_kind(const Record&) { return RecordFile::Result; }
[[nodiscard]] constexpr RecordFile record_kind(const InstructionTable&) { return RecordFile::Instructions; }
[[nodiscard]] constexpr RecordFile record_kind(const MachineTable&) { return RecordFile::Machine; }
[[nodiscard]] constexpr RecordFile record_kind(const KernelTable&) { return RecordFile::Cases; }

/// "a result (result.json)", "an instruction table (instructions.json)", "a machine table (machine.json)", "a table of
/// kernels (cases.json)".
[[nodiscard]] std::string_view words(RecordFile kind);

/// With the digits that instructions.json and machine.json keep: sampled cycles to 0.01, counters to six significant
/// digits, other numbers to five; hashes to 8 characters. Renderers give the same bytes from what was measured and from
/// what was read only after this.
[[nodiscard]] InstructionTable rounded(InstructionTable table);
[[nodiscard]] MachineTable rounded(MachineTable table);

/// The text of result.json, instructions.json (rounded), machine.json (rounded) and cases.json, schema 3: an object
/// whose `rows` have their keys from record_fields.hpp, a row on a line;
/// record_schema() prints the keys. The same bytes for the same record. Whole numbers are written without a point,
/// other doubles with the fewest digits that read back the same, a number that is not finite as null. What is empty,
/// zero or false may be left out. A minor version may add keys, which older readers ignore.
[[nodiscard]] std::string to_json(const Record& record);
[[nodiscard]] std::string to_json(const InstructionTable& table);
[[nodiscard]] std::string to_json(const MachineTable& table);
[[nodiscard]] std::string to_json(const KernelTable& table);

/// Reads this schema. `place` is the file's name for messages. Errors: "record" (the text says where:
/// `rows[3].samples[0].n: ...`), "record-kind" where it is a file of another kind, and "record-version". Foreign input
/// never crashes and never grows without bound.
[[nodiscard]] Expected<Record> parse_record(std::string_view text, const std::string& place = "result.json");
/// The same, but rows have no PTX, machine code, samples, measures and rules of premises: most of a record, and nothing
/// that numbers are looked up in.
[[nodiscard]] Expected<Record> parse_record_numbers(std::string_view text, const std::string& place = "result.json");
/// The same of a result or an instruction table. A row of a table is one without probe, parameters and window.
[[nodiscard]] Expected<Record> parse_row_numbers(std::string_view text, const std::string& place);
[[nodiscard]] Expected<InstructionTable> read_instruction_table(std::string_view text,
                                                                const std::string& place = "instructions.json");
[[nodiscard]] Expected<MachineTable> read_machine_table(std::string_view text,
                                                        const std::string& place = "machine.json");
[[nodiscard]] Expected<KernelTable> read_kernel_table(std::string_view text, const std::string& place = "cases.json");

/// A JSON Schema of what to_json() writes.
[[nodiscard]] std::string record_schema(RecordFile kind);

/// One row of result.json on one line, without a newline, for the journal that a killed run resumes from.
[[nodiscard]] std::string to_json_line(const CaseRecord& record);
[[nodiscard]] Expected<CaseRecord> parse_case_record(std::string_view line, const std::string& place = "journal");

/// An array of objects as columns, which pack a quarter to a half smaller than the objects: {"counts": [its size],
/// "of": {name of a field: column}}. A column has a value for each object, null where the object has none; a field that
/// is null counts as none. Where all values are objects ("one" is true) or arrays of objects, a column is again
/// {"counts", "of"}, with the number of objects of each value. rowsOf() in the script of a table makes rows of it.
[[nodiscard]] Json columns_of(const Json& objects);

}  // namespace warpclock
