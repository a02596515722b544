#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/json/json_writer.hpp"
#include "base/text.hpp"
#include "record/record.hpp"

namespace warpclock {

/// "a result (result.json)", "an instruction table (instructions.json)", "a machine table (machine.json)", "a table of
/// kernels (cases.json)".
[[nodiscard]] std::string_view words(RecordFile file);

/// With the digits that instructions.json and machine.json keep: sampled cycles to 0.01, counters to six significant
/// digits, other numbers to five; hashes to 8 characters. Renderers give the same bytes from what was measured and from
/// what was read only after this. Other records stay as they are.
[[nodiscard]] Record rounded(Record record);

/// The text of a record (rounded), schema 4: an object whose `rows` have their keys from record_fields.hpp, a row on a
/// line; record_schema() prints the keys. The same bytes for the same record. Whole numbers are written without a
/// point, other doubles with the fewest digits that read back the same, a number that is not finite as null. What is
/// empty, zero or false may be left out. A minor version may add keys, which older readers ignore.
[[nodiscard]] std::string to_json(const Record& record);

/// What is to be read.
struct Wanted {
  std::vector<RecordFile> files = {RecordFile::Result};  ///< one of these
  /// Rows have no PTX, machine code, samples, curves, experiments, measures and rules of premises: most of a record,
  /// and nothing that numbers are looked up in.
  bool numbers = false;
};

/// Reads this schema. `place` is the file's name for messages. Errors: "record" (the text says where:
/// `rows[3].samples[0].n: ...`), "record-kind" where it is another file, and "record-version". Foreign input never
/// crashes and never grows without bound.
[[nodiscard]] Expected<Record> parse_record(std::string_view text, const std::string& place = "record",
                                            const Wanted& wanted = {});

/// A JSON Schema of what to_json() writes.
[[nodiscard]] std::string record_schema();

/// One row of result.json on one line, without a newline, for the journal that a killed run resumes from.
[[nodiscard]] std::string to_json_line(const Row& row);
[[nodiscard]] Expected<Row> parse_row(std::string_view line, const std::string& place = "journal");

/// An array of objects as columns, which pack a quarter to a half smaller than the objects: {"counts": [its size],
/// "of": {name of a field: column}}. A column has a value for each object, null where the object has none; a field that
/// is null counts as none. Where all values are objects ("one" is true) or arrays of objects, a column is again
/// {"counts", "of"}, with the number of objects of each value. rowsOf() in the script of a table makes rows of it.
[[nodiscard]] Json columns_of(const Json& objects);

}  // namespace warpclock
