#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "record/json/json_text.hpp"

namespace warpclock {

struct SchemaVersion {
  int major = 0, minor = 0, patch = 0;

  bool operator==(const SchemaVersion&) const = default;
};

/// Error "record" where the text is no JSON; `place` is the file's name for messages.
[[nodiscard]] Expected<Json> parse_json(std::string_view text, const std::string& place);

enum class RecordFile { Result, Instructions, Machine };

/// "a result (result.json)", "an instruction table (instructions.json)", "a machine table (machine.json)".
[[nodiscard]] std::string_view words(RecordFile kind);

/// A record file: JSON, an object, whose `schema` has the major version of `known`, or an earlier one down to `oldest`
/// (0: none). Errors: "record", "record-kind" where it is a file of another kind, and "record-version" for another
/// major version. A minor version may add keys, which older readers pass over.
[[nodiscard]] Expected<Json> parse_record_file(std::string_view text, RecordFile kind, const SchemaVersion& known,
                                               const std::string& place, int oldest = 0);

[[nodiscard]] Json to_json_value(const SchemaVersion& version);

}  // namespace warpclock
