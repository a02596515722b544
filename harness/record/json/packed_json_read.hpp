#pragma once

#include <string>

#include "base/error.hpp"
#include "base/json/json_writer.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {

/// A record of schema 1 or 2, in the form of schema 3. Error "record"; the text says in which row. What a hostile file
/// repeats does not fill the memory.
[[nodiscard]] Expected<Json> unpack_record(const Json& packed, RecordFile kind, int major, const std::string& place);

}  // namespace warpclock
