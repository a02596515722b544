#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace warpclock {

using Json = nlohmann::ordered_json;

/// The value that a text has. Throws Json::exception if it is not JSON. It is compiled here once: each unit with
/// Json::parse() compiles a parser of its own, and tests, whose code is not optimised, run that.
[[nodiscard]] Json json_of(std::string_view text);

/// JSON text made for reading and for line diffs, the same bytes for the same value: a blank a level, but texts in an
/// array (listings) at the margin, while an array of numbers, and an object in an array that holds nothing deeper than
/// arrays of numbers, take one line each. Invalid UTF-8 is replaced by U+FFFD. Ends with a newline.
[[nodiscard]] std::string pretty(const Json& value);

/// The same value on one line, with no blanks and no newline.
[[nodiscard]] std::string compact(const Json& value);

/// An array with an element a line, each of them compact. Ends with its bracket.
[[nodiscard]] std::string tall(const Json& array);

/// A record for other programs: the version of its schema, what record it is, and its members; as pretty() writes it.
[[nodiscard]] std::string record_text(const Json& version, const std::string& record, const Json& members);

/// The JSON Schema of such a record, of what JsonSchema says of its members. `version` is the schema of its version.
[[nodiscard]] std::string record_schema_text(const std::string& title, const Json& version, const std::string& record,
                                             Json members);

/// What nlohmann::json says, without its own "[json.exception.parse_error.101]".
[[nodiscard]] std::string json_problem(const Json::exception& error);

}  // namespace warpclock
