#pragma once

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "record/record.hpp"

namespace warpclock {

/// What is needed of each of thousands of records: provenance, device, the names of probes and why they vary, and of
/// each row its id, probe, outcome, reason code, estimates, places, clock, and whether its cycles are encoded. Samples,
/// premises, counters, PTX, SASS and features stay empty. A row of an instruction table has no probe. About twenty
/// times as fast as parse_record(), which reads records of earlier schemas. Errors as parse_record().
[[nodiscard]] Expected<Record> parse_light_record(const std::string& text, const std::string& place);

/// The same from a file, packed or not.
[[nodiscard]] Expected<Record> read_light_record(const std::filesystem::path& path);

}  // namespace warpclock
