#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "report/record.hpp"
#include "report/schema.hpp"

namespace warpclock {

/// Of result.json. A reader refuses another major version; a minor version may add keys, which older readers pass over.
constexpr SchemaVersion schema_version = {1, 1, 0};

/// The text of result.json: the same bytes for the same record. Whole numbers are written without a point, other
/// doubles with the fewest digits that read back the same, a number that is not finite as null. A window or PTX text
/// that an earlier case has already shown is written as that case's id (`sass_of`, `ptx_of`): throughput sweeps time
/// the same code many times over.
[[nodiscard]] std::string to_json(const Record& record);

/// Errors: "record" (the text says where: `cases[3].samples[0].n: ...`) and "record-version". Keys that this version
/// does not know are passed over. `place` is the file's name for messages.
[[nodiscard]] Expected<Record> parse_record(std::string_view text, const std::string& place = "result.json");

/// One case on one line, without a newline, for the journal that a killed run resumes from.
[[nodiscard]] std::string to_json_line(const CaseRecord& record);
[[nodiscard]] Expected<CaseRecord> parse_case_record(std::string_view line, const std::string& place = "journal");

}  // namespace warpclock
