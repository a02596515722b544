#include "measure/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "base/files/file.hpp"
#include "base/files/marked.hpp"
#include "base/hash.hpp"
#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "code/toolkit.hpp"
#include "gpu/device/fields.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

std::string hash_of(const std::map<std::string, std::string>& texts) {
  Hash hash;
  for (const auto& [path, text] : texts) hash.add_field(path).add_field(text);
  return hash.hex();
}

std::string hash_of(const std::vector<std::string>& texts) {
  Hash hash;
  for (const std::string& text : texts) hash.add_field(text);
  return hash.hex();
}

/// Two builds of one commit may differ in local changes.
std::string program() {
  Hash hash;
  hash.add_field(version_line());
  if (version().dirty) hash.add_field(tool_identity("/proc/self/exe"));
  return hash.hex();
}

/// A GPU without a UUID is known by its place.
std::string identity_of(const DeviceFacts& device, const std::string& host) {
  return device.uuid.empty() ? host + " " + device.pci : device.uuid;
}

/// Its clocks, limits and driver too. Errors are counted while it is used, so they may differ.
std::string state_of(DeviceFacts device) {
  device.memory_errors.clear();
  return hash_hex(JsonLine::of(device));
}

std::string hash_of(const std::vector<Case>& cases) {
  Hash hash;
  for (const Case& one : cases) {
    hash.add_field(one.id).add_field(std::to_string(one.measures.size()));
    for (const Measure& measure : one.measures) hash.add_field(measure.name).add_field(measure.unit);
  }
  return hash.hex();
}

}  // namespace

RunKey run_key(const std::vector<Case>& cases, const RunGround& ground) {
  return {{"program", program()},
          {"GPU", identity_of(ground.device, ground.host)},
          {"driver", ground.device.driver},
          {"state of the GPU", state_of(ground.device)},
          {"counters", ground.counters_missing},
          {"tools", hash_of(ground.tools)},
          {"configs", hash_of(ground.configs)},
          {"probes", hash_of(ground.sources)},
          {"cases", hash_of(cases)},
          {"options", hash_of(ground.settings)}};
}

namespace fs = std::filesystem;

namespace {

constexpr const char* began = "began";

/// The parts are there for differences_between(); their hash comes first, and says what the file is.
std::string first_line(const RunKey& key) {
  Hash hash;
  for (const auto& [name, value] : key) hash.add_field(name).add_field(value);
  Json line = {{"run", hash.hex()}};
  for (const auto& [name, value] : key) line[name] = value;
  return compact(line);
}

Json json_of(const std::string& line) {
  Json json = Json::parse(line, nullptr, false);
  return json.is_object() ? json : Json::object();
}

std::string differences_between(const std::string& before, const RunKey& key) {
  const Json parts = json_of(before);
  std::vector<std::string> names;
  for (const auto& [name, value] : key)
    if (!parts.contains(name) || parts[name] != value) names.push_back(name);
  return join(names, ", ");
}

bool is_row(const std::string& line) { return line.starts_with("{\"id\":"); }

/// A row is followed by its hash: a digit that is another one would go unseen.
std::string with_hash(const std::string& row) { return fmt::format("{}\t{}", row, hash_hex(row)); }

/// The row of such a line; empty if it is none, or damaged.
std::string row_of(const std::string& line) {
  const std::size_t end = line.rfind('\t');
  if (end == line.npos || hash_hex(std::string_view(line).substr(0, end)) != line.substr(end + 1)) return {};
  return line.substr(0, end);
}

std::string date_line(const std::string& date) { return compact(Json{{began, date}}); }

}  // namespace

Expected<Journal> Journal::open(fs::path path, const RunKey& key, const JournalUser& user) {
  Journal journal(std::move(path));
  const std::string first = first_line(key);
  std::string kept = first + "\n";
  if (auto text = read_file(journal.path_)) {
    auto all = lines(*text);
    if (!all.empty() && all.front() == first) {
      all.erase(all.begin());
      kept += journal.take(all);
    } else if (std::ranges::any_of(all, is_row)) {
      journal.differs_ = differences_between(all.front(), key);
    }
  }
  if (!user.continues || journal.runs_.empty()) {
    journal.runs_.push_back(user.began);
    kept += date_line(user.began) + "\n";
  }
  WARPCLOCK_TRY(write_marked(journal.path_, kept));
  return journal;
}

/// Returns the lines that it understands.
std::string Journal::take(const std::vector<std::string>& lines) {
  std::string kept;
  for (const std::string& line : lines) {
    if (auto row = parse_row(row_of(line), path_.string()); row && !runs_.empty()) {
      take_row(*std::move(row));
    } else if (const Json date = json_of(line); date.contains(began) && date[began].is_string()) {
      runs_.push_back(date[began]);
    } else {
      continue;
    }
    kept += line + "\n";
  }
  return kept;
}

/// A row that was taken over gets its counters from a later run, but was timed by the earlier one.
void Journal::take_row(Row row) {
  const auto before = rows_.find(row.id);
  if (before == rows_.end() || before->second.outcome == Outcome::Failed) run_of_[row.id] = runs_.size() - 1;
  std::string id = row.id;
  rows_.insert_or_assign(std::move(id), std::move(row));
}

ResumedRows Journal::resumed(const std::vector<std::string>& ids) const {
  std::set<std::size_t> runs;
  ResumedRows resumed;
  for (const std::string& id : ids) {
    const auto run = run_of_.find(id);
    if (run == run_of_.end() || run->second + 1 == runs_.size()) continue;
    ++resumed.rows;
    runs.insert(run->second);
  }
  if (!runs.empty()) resumed.first_run = runs_[*runs.begin()];
  return resumed;
}

Expected<void> Journal::append(const Row& row) {
  const Descriptor file(::open(path_.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  if (file.get() >= 0 && write_fully(file.get(), with_hash(to_json_line(row)) + '\n')) return {};
  return fail("io",
              fmt::format("cannot append: {}. A run that cannot keep its rows ends here; mend that and run again: it "
                          "goes on with the rows that are in this journal",
                          std::strerror(errno)),
              path_.string());
}

void Journal::remove() const {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace warpclock
