#include "fleet/fleet_files.hpp"

#include <fmt/format.h>
#include <simdjson.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/files/file.hpp"
#include "base/files/marked.hpp"
#include "base/files/packed_file.hpp"
#include "base/json/json_reader.hpp"
#include "base/json/json_writer.hpp"
#include "record/json/record_fields.hpp"
#include "record/json/record_json.hpp"
#include "record/record.hpp"
#include "record/withdrawn.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_failure_bytes = std::size_t{1} << 20;

}  // namespace

Expected<void> write_failure(const fs::path& folder, const std::string& host, const std::string& gpu,
                             const Error& error) {
  const Json json = {{"schema", {{"major", 1}, {"minor", 0}, {"patch", 0}}},
                     {"record", "failure"},
                     {"host", host},
                     {"gpu", gpu},
                     {"code", error.code},
                     {"text", error.message()}};
  return write_marked(folder / failure_file, compact(json) + "\n");
}

FleetFailure read_failure(const fs::path& path, const fs::path& fleet) {
  FleetFailure failure{path.lexically_relative(fleet).generic_string(), ""};
  const auto text = read_file(path, most_failure_bytes);
  const Json json = text ? Json::parse(*text, nullptr, false) : Json();
  const auto part = [&](const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
  };
  failure.text = part("text").empty() ? "this file cannot be read"
                                      : fmt::format("{}{}GPU {}: {}", part("host"), part("host").empty() ? "" : ", ",
                                                    part("gpu"), part("text"));
  return failure;
}

namespace {

namespace od = simdjson::ondemand;

constexpr std::int64_t read_major = 3;

std::string text_of(od::value value) { return std::string(std::string_view(value)); }

/// Calls `use` with each key and its value. A key that is asked for by name but missing would use up the object.
template <class Use>
void each_field(od::object object, const Use& use) {
  for (auto field : object) {
    const std::string_view key = field.unescaped_key();
    use(key, field.value());
  }
}

/// Fills a described struct from a small part of the file.
template <class T>
void fill(od::value value, const char* key, T& out) {
  JsonReader reader;
  const auto part = JsonDocument::parse(value.get_object().value().raw_json().value());
  reader.read_at(key, part.value().root(), out);
  if (reader.problem() != nullptr) throw std::runtime_error(*reader.problem());
}

Estimate estimate_of(od::object object) {
  Estimate out;
  each_field(object, [&](std::string_view key, od::value value) {
    if (key == "name") out.name = text_of(value);
    if (key == "unit") out.unit = text_of(value);
    if (key == "method") out.method = text_of(value);
    if (key != "value" && key != "low" && key != "high") return;
    double& number = key == "value" ? out.value : key == "low" ? out.low : out.high;
    number = value.is_null() ? std::numeric_limits<double>::quiet_NaN() : double(value);
  });
  return out;
}

ClockReading clock_of(od::object object) {
  ClockReading out;
  each_field(object, [&](std::string_view key, od::value value) {
    if (key == "sm_mhz") out.sm_mhz = double(value);
    if (key == "memory_mhz") out.memory_mhz = double(value);
    if (key == "power_w") out.power_w = double(value);
    if (key == "temperature_c") out.temperature_c = double(value);
    if (key == "throttle")
      for (auto reason : value.get_array()) out.throttle.push_back(text_of(reason.value()));
  });
  return out;
}

Outcome outcome_of(std::string_view word) {
  const auto& words = enum_words<Outcome>;
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) throw std::runtime_error(fmt::format("there is no outcome '{}'", word.substr(0, 40)));
  return static_cast<Outcome>(found - words.begin());
}

std::pair<std::string, int> opcode_of(od::object counted) {
  std::pair<std::string, int> out;
  each_field(counted, [&](std::string_view key, od::value value) {
    if (key == "opcode") out.first = text_of(value);
    if (key == "count") out.second = static_cast<int>(value.get_int64().value());
  });
  return out;
}

CaseRecord row_of(od::object row) {
  CaseRecord out;
  bool named = false, ended = false;
  each_field(row, [&](std::string_view key, od::value value) {
    if (key == "id") {
      out.id = text_of(value);
      named = true;
    } else if (key == "probe") {
      out.probe = text_of(value);
    } else if (key == "outcome") {
      out.outcome = outcome_of(std::string_view(value));
      ended = true;
    } else if (key == "reason") {
      each_field(value.get_object(), [&](std::string_view part, od::value said) {
        if (part == "code") out.reason.code = text_of(said);
      });
    } else if (key == "estimates") {
      for (auto each : value.get_array()) out.estimates.push_back(estimate_of(each.get_object()));
    } else if (key == "places") {
      for (auto each : value.get_array()) out.places.push_back(double(each.value()));
    } else if (key == "clock") {
      out.clock = clock_of(value.get_object());
    } else if (key == "window") {
      each_field(value.get_object(), [&](std::string_view part, od::value cycles) {
        if (part == "encoded_cycles") out.window.encoded_cycles = double(cycles);
        if (part == "opcodes" && may_be_withdrawn(out.probe))
          for (auto each : cycles.get_array()) out.window.opcodes.push_back(opcode_of(each.get_object()));
      });
    } else if (key == "parameters" && may_be_withdrawn(out.probe)) {
      each_field(value.get_object(), [&](std::string_view name, od::value number) {
        if (number.type() == od::json_type::number) out.parameters.emplace_back(name, number.get_int64().value());
      });
    }
  });
  if (!named || !ended) throw std::runtime_error("a row has no id or no outcome");
  return out;
}

ProbeRecord probe_of(od::object probe) {
  ProbeRecord out;
  each_field(probe, [&](std::string_view key, od::value value) {
    if (key == "name") out.name = text_of(value);
    if (key == "varies") out.varies = text_of(value);
  });
  return out;
}

/// Rows of both have estimates.
bool is_read(std::string_view kind) {
  return kind == word(RecordFile::Result) || kind == word(RecordFile::Instructions);
}

/// The record in a file of this schema; nothing for another schema.
std::optional<Record> record_of(od::object file) {
  Record out;
  bool known = true, has_rows = false;
  for (auto field : file) {
    const std::string_view key = field.unescaped_key();
    od::value value = field.value();
    if (key == "schema") known = known && value["major"].get_int64().value() == read_major;
    if (key == "record") known = known && is_read(std::string_view(value));
    if (!known) return std::nullopt;
    if (key == "provenance") fill(value, "provenance", out.provenance);
    if (key == "device") fill(value, "device", out.device);
    if (key == "probes")
      for (auto each : value.get_array()) out.probes.push_back(probe_of(each.get_object()));
    if (key != "rows") continue;
    has_rows = true;
    for (auto each : value.get_array()) out.cases.push_back(row_of(each.get_object()));
  }
  if (!has_rows) return std::nullopt;
  withdraw_wrong_rows(out);
  // What these rows had more than others was needed for that alone.
  for (CaseRecord& row : out.cases)
    if (may_be_withdrawn(row.probe)) row.parameters.clear(), row.window = {.encoded_cycles = row.window.encoded_cycles};
  return out;
}

}  // namespace

Expected<Record> parse_light_record(const std::string& text, const std::string& place) {
  try {
    od::parser parser;
    const simdjson::padded_string padded(text);
    od::document document = parser.iterate(padded);
    if (auto record = record_of(document.get_object())) return *std::move(record);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    // The full reader says where.
    if (auto full = parse_record(text, place); !full) return std::unexpected(full.error());
    return fail("record", error.what(), place);
  }
  return parse_record(text, place);
}

Expected<Record> read_light_record(const std::filesystem::path& path) {
  const auto text = WARPCLOCK_TRY(read_packed_file(path));
  return parse_light_record(text, path.string());
}

namespace {

class Walk {
 public:
  explicit Walk(const fs::path& top) : top_(top) {}

  Expected<RecordFiles> finish() {
    std::error_code reason;
    if (!fs::is_directory(top_, reason)) return fail("io", "there is no such folder", top_.string());
    if (const std::error_code error = list(top_))
      return fail("io", "cannot list the folder: " + error.message(), top_.string());
    // Links wait, so that a folder has the name without a link however the names are sorted.
    for (;;) {
      if (!folders_.empty()) {
        enter(next_of(folders_));
      } else if (!links_.empty()) {
        follow(next_of(links_));
      } else {
        break;
      }
    }
    std::ranges::sort(found_.records);
    std::ranges::sort(found_.failures);
    std::ranges::sort(found_.unread, {}, &FleetFailure::path);
    return std::move(found_);
  }

 private:
  static fs::path next_of(std::set<fs::path>& paths) { return paths.extract(paths.begin()).value(); }

  void cannot(const fs::path& path, std::string_view what, const std::error_code& reason) {
    found_.unread.push_back({path.lexically_relative(top_).generic_string(),
                             fmt::format("{}: {}: make it readable, or move it away", what, reason.message())});
  }

  std::error_code list(const fs::path& folder) {
    struct stat facts {};
    if (stat(folder.c_str(), &facts) != 0) return {errno, std::generic_category()};
    if (!entered_.emplace(facts.st_dev, facts.st_ino).second) return {};
    std::error_code reason;
    fs::directory_iterator entry(folder, reason);
    for (const fs::directory_iterator end; !reason && entry != end; entry.increment(reason)) take(*entry);
    return reason;
  }

  void enter(const fs::path& folder) {
    if (const std::error_code reason = list(folder)) cannot(folder, "this folder cannot be read", reason);
  }

  void take(const fs::directory_entry& entry) {
    std::error_code reason;
    const fs::file_type type = entry.symlink_status(reason).type();
    if (type == fs::file_type::directory) {
      folders_.insert(entry.path());
    } else if (type == fs::file_type::symlink) {
      links_.insert(entry.path());
    } else {
      // What cannot be looked at is read by its name, and that fails with the reason.
      take_file(entry.path());
    }
  }

  void take_file(const fs::path& path) {
    const std::string name = without_gz(path).filename().string();
    if (name == "result.json" || name == "instructions.json") found_.records.push_back(path);
    if (name == failure_file) found_.failures.push_back(path);
  }

  void follow(const fs::path& link) {
    std::error_code reason;
    const fs::file_status target = fs::status(link, reason);
    if (reason || target.type() == fs::file_type::not_found) {
      cannot(link, "this link leads nowhere", reason);
    } else if (target.type() == fs::file_type::directory) {
      enter(link);
    } else {
      take_file(link);
    }
  }

  const fs::path& top_;
  RecordFiles found_;
  std::set<fs::path> folders_, links_;
  std::set<std::pair<dev_t, ino_t>> entered_;
};

}  // namespace

Expected<RecordFiles> find_record_files(const fs::path& folder) { return Walk(folder).finish(); }

}  // namespace warpclock
