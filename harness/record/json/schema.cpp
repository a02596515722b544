#include "record/json/schema.hpp"

#include <fmt/format.h>

#include <optional>

#include "record/json/json_reader.hpp"
#include "record/json/json_writer.hpp"

namespace warpclock {

template <class Archive, Like<SchemaVersion> T>
void describe(Archive& a, T& v) {
  a.required("major", v.major);
  a.required("minor", v.minor);
  a.required("patch", v.patch);
}

Expected<Json> parse_json(std::string_view text, const std::string& place) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 3, column 7: ..." : the bracket says nothing to a reader.
    const std::string what = error.what();
    const std::size_t bracket = what.find("] ");
    return fail("record", "not JSON: " + (bracket == std::string::npos ? what : what.substr(bracket + 2)), place);
  }
}

std::string_view words(RecordFile kind) {
  switch (kind) {
    case RecordFile::Result:
      return "a result (result.json)";
    case RecordFile::Instructions:
      return "an instruction table (instructions.json)";
    case RecordFile::Machine:
      break;
  }
  return "a machine table (machine.json)";
}

namespace {

/// By what only one kind has; nothing where that is not clear.
std::optional<RecordFile> kind_of(const Json& json) {
  if (json.contains("machine")) return RecordFile::Machine;
  if (json.contains("cases") == json.contains("rows")) return std::nullopt;
  return json.contains("cases") ? RecordFile::Result : RecordFile::Instructions;
}

}  // namespace

Expected<Json> parse_record_file(std::string_view text, RecordFile kind, const SchemaVersion& known,
                                 const std::string& place, int oldest) {
  auto json = parse_json(text, place);
  if (!json) return json;
  if (!json->is_object()) return fail("record", "expected an object", place);

  const auto schema = json->find("schema");
  if (schema == json->end()) return fail("record", "the key 'schema' is missing: this is no warpclock record", place);
  const RecordFile found = kind_of(*json).value_or(kind);
  if (found != kind)
    return fail("record-kind", fmt::format("this is {}; {} is wanted", words(found), words(kind)), place);
  JsonReader reader;
  SchemaVersion version;
  reader.read_at("schema", *schema, version);
  if (reader.problem()) return fail("record", *reader.problem(), place);
  const int least = oldest > 0 ? oldest : known.major;
  if (version.major >= least && version.major <= known.major) return json;
  const bool newer = version.major > known.major;
  return fail("record-version",
              fmt::format("schema {}.{}.{} is {} than this program reads ({}.x.x); {}", version.major, version.minor,
                          version.patch, newer ? "newer" : "older", newer ? known.major : least,
                          newer ? "update warpclock" : "measure again"),
              place);
}

Json to_json_value(const SchemaVersion& version) { return JsonWriter::write(version); }

}  // namespace warpclock
