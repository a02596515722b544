#include "fleet/observations.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <map>
#include <set>
#include <utility>

#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/hash.hpp"
#include "base/lookup.hpp"
#include "base/parallel.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "fleet/fleet_files.hpp"
#include "record/json/record_json.hpp"
#include "record/trace.hpp"

namespace warpclock {
namespace {

constexpr std::string_view gpc_probe = "memory/gpc_map";
constexpr std::size_t fewest_parts = 6;
constexpr double worth_keeping = 3;

/// A part of a GPU and its number.
struct Part {
  std::size_t index = 0;
  double value = 0;
};

/// For the lines of each probe, the rows with a value for each SM.
std::map<std::string, std::vector<const Row*>> rows_over_sms(const Record& record) {
  std::map<std::string, std::vector<const Row*>> found;
  const auto sms = static_cast<std::size_t>(std::max(0, record.device.sms));
  for (const Row& row : record.rows) {
    if (sms > 0 && row.outcome == Outcome::Measured && row.places.size() == sms && row.probe != gpc_probe &&
        row.probe.starts_with("memory/"))
      found[row.probe].push_back(&row);
  }
  return found;
}

/// The GPC of each SM as the SMs were found together in the largest clusters; 0 where unknown.
std::vector<double> gpcs_of(const Record& record) {
  const Row* largest = nullptr;
  for (const Row& row : record.rows) {
    if (row.probe == gpc_probe && row.id.ends_with("[cluster=16]")) largest = &row;
  }
  return largest == nullptr ? std::vector<double>() : largest->places;
}

std::vector<Part> means_of_gpcs(const std::vector<Part>& sms, const std::vector<double>& gpcs) {
  std::map<double, std::pair<double, double>> sums;
  for (const Part& sm : sms) {
    if (sm.index >= gpcs.size() || gpcs[sm.index] == 0) continue;
    auto& [sum, count] = sums[gpcs[sm.index]];
    sum += sm.value;
    count += 1;
  }
  std::vector<Part> all;
  for (const auto& [gpc, sum] : sums) all.push_back({all.size(), sum.first / sum.second});
  return all;
}

void compare(const std::string& probe, const char* name, const std::vector<Part>& parts, ComparedParts& out) {
  if (parts.size() < fewest_parts) return;
  const auto values = mapped(parts, &Part::value);
  const double median = median_of(values);
  // Where most parts are equal, cycles repeat to this share all the same.
  const double least = tolerance_of(EstimateKind::Cycles, {.value = median}) / 4;
  const double sigma = std::max(robust_spread(values, median).sigma, least);
  out.tested += parts.size();
  if (!(sigma > 0)) return;
  for (const Part& part : parts) {
    const double z = (part.value - median) / sigma;
    if (std::abs(z) >= worth_keeping)
      out.away.push_back({0, name, part.index, parts.size(), probe, part.value, median, z});
  }
}

}  // namespace

ComparedParts compare_parts(const Record& record) {
  ComparedParts out;
  const std::vector<double> gpcs = gpcs_of(record);
  for (const auto& [probe, rows] : rows_over_sms(record)) {
    std::vector<Part> sms, lines;
    const std::vector<double> means = place_means(rows);
    for (std::size_t i = 0; i < means.size(); ++i)
      if (means[i] > 0) sms.push_back({i, means[i]});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double sum = 0, count = 0;
      for (const double value : rows[i]->places) {
        sum += value;
        count += value > 0 ? 1 : 0;
      }
      if (count > 0) lines.push_back({i, sum / count});
    }
    compare(probe, "SM", sms, out);
    compare(probe, "L2 line", lines, out);
    compare(probe, "GPC", means_of_gpcs(sms, gpcs), out);
  }
  return out;
}

namespace {

namespace fs = std::filesystem;

/// What is not a measurement of the GPU, or follows from another number of the same row.
bool left_out(const Estimate& estimate, bool of_table) {
  return estimate.method == "intercept" || estimate.method == "encoded" || !std::isfinite(estimate.value) ||
         (of_table && (estimate.name == "interval" || estimate.name == "saturation"));
}

std::string identity_of(const Record& record, const std::string& folder) {
  // A part of a GPU is another one than the whole.
  if (!record.device.uuid.empty()) return record.device.uuid + record.device.name;
  if (!record.provenance.host.empty() && !record.device.pci.empty())
    return record.provenance.host + " " + record.device.pci;
  return folder;
}

/// "node7 GPU-5f0c1b2a", "GPU-5f0c1b2a", "rack1/nvidia-h200".
std::string label_of(const FleetGpu& gpu) {
  constexpr std::size_t recognisable = 12;
  const std::string own = gpu.device.uuid.empty() ? gpu.device.pci : gpu.device.uuid.substr(0, recognisable);
  if (gpu.host.empty()) return gpu.device.uuid.empty() ? gpu.folder : own;
  return gpu.host + " " + own;
}

/// Adds what the rows say about the GPU itself.
void add_conditions(const Record& record, FleetGpu& gpu) {
  std::vector<double> clocks;
  gpu.power_w = std::max(gpu.power_w, record.provenance.most_power_w);
  for (const auto& [xid, times] : record.provenance.gpu_events.xids) gpu.events.xids[xid] += times;
  for (const auto& [name, more] : record.provenance.gpu_events.memory_errors) gpu.events.memory_errors[name] += more;
  for (const Row& row : record.rows) {
    if (row.clock.sm_mhz > 0) clocks.push_back(row.clock.sm_mhz);
    gpu.power_w = std::max(gpu.power_w, row.clock.power_w);  // of the board, in records of earlier versions
    gpu.temperature_c = std::max(gpu.temperature_c, row.clock.temperature_c);
    gpu.throttled += row.clock.throttle.empty() ? 0 : 1;
    for (const std::string& reason : row.clock.throttle)
      if (!contains(gpu.throttle, reason)) gpu.throttle.push_back(reason);
    if (row.outcome == Outcome::Rejected || row.outcome == Outcome::Failed) gpu.not_measured.push_back(row.id);
    gpu.measured += row.estimates.empty() ? 0 : 1;
  }
  if (!clocks.empty()) gpu.sm_mhz = median_of(clocks);
}

}  // namespace

std::size_t FleetCollector::model_of(const std::string& name) { return index_or_add(all_.models, name); }

std::size_t FleetCollector::gpu_of(const Record& record, const std::string& folder) {
  const auto [at, fresh] = gpus_.emplace(identity_of(record, folder), all_.gpus.size());
  if (fresh) all_.gpus.emplace_back().model = model_of(record.device.name);
  FleetGpu& gpu = all_.gpus[at->second];
  ++gpu.records;
  if (record.provenance.date < gpu.date) return at->second;
  gpu.device = record.device;
  gpu.host = record.provenance.host;
  gpu.date = record.provenance.date;
  gpu.folder = folder;
  gpu.label = label_of(gpu);
  return at->second;
}

std::size_t FleetCollector::series_of(std::size_t model, const Row& row, const Estimate& estimate,
                                      const std::string& varies) {
  // Records of a model have the same rows in the same order.
  if (next_ < all_.series.size()) {
    const FleetSeries& next = all_.series[next_];
    if (next.model == model && next.id == row.id && next.estimate == estimate.name && next.unit == estimate.unit)
      return next_;
  }
  const auto [at, fresh] =
      series_.emplace(fmt::format("{}\n{}\n{}\n{}", model, row.id, estimate.name, estimate.unit), all_.series.size());
  if (fresh) all_.series.push_back({model, row.id, estimate.name, estimate.unit, kind_of(row, estimate), varies, {}});
  return at->second;
}

void FleetCollector::add_value(std::size_t gpu, const Row& row, const Estimate& estimate, const std::string& varies) {
  const std::size_t series = series_of(all_.gpus[gpu].model, row, estimate, varies);
  next_ = series + 1;
  all_.series[series].values.push_back({static_cast<std::uint32_t>(gpu), static_cast<std::uint32_t>(all_.records - 1),
                                        static_cast<float>(reach_of(estimate)), estimate.value});
}

namespace {

/// What no two runs have in common: the clock of each row to the last digit. Empty if too few rows have one that is not
/// a whole number.
std::string clocks_of(const Record& record) {
  constexpr int enough = 3;
  Hash hash;
  int rows = 0;
  for (const Row& row : record.rows) {
    if (row.clock.sm_mhz == std::floor(row.clock.sm_mhz)) continue;
    ++rows;
    hash.add_field(row.id).add_field({reinterpret_cast<const char*>(&row.clock.sm_mhz), sizeof row.clock.sm_mhz});
  }
  return rows < enough ? "" : hash.hex();
}

std::string program_of(const Provenance& from) { return from.commit + (from.dirty ? " with changes" : ""); }

}  // namespace

void FleetCollector::look_for_a_copy(const Record& record, std::size_t gpu, const std::string& folder) {
  std::string clocks = clocks_of(record);
  if (clocks.empty()) return;
  const auto [at, fresh] = clocks_.emplace(std::move(clocks), gpu);
  if (!fresh && at->second != gpu)
    add({folder, fmt::format("its rows had the very same clocks as those of {}: one of them is a copy",
                             all_.gpus[at->second].label)});
}

void FleetCollector::note_lack(std::size_t gpu, const std::string& row) {
  const std::size_t number = lacked_.emplace(row, lacked_.size()).first->second, record = dates_.size() - 1;
  const auto [at, fresh] = no_number_.try_emplace({gpu, number}, record);
  if (!fresh && dates_[at->second] < dates_[record]) at->second = record;
}

/// A row that the newest record has without a number has none.
void FleetCollector::forget_what_is_older() {
  for (FleetSeries& series : all_.series) {
    const auto row = lacked_.find(series.id);
    if (row == lacked_.end()) continue;
    std::erase_if(series.values, [&](const FleetValue& value) {
      const auto at = no_number_.find({value.gpu, row->second});
      return at != no_number_.end() && dates_[value.record] < dates_[at->second];
    });
  }
  std::erase_if(all_.series, [](const FleetSeries& series) { return series.values.empty(); });
}

void FleetCollector::add(const Record& record, const std::string& folder) {
  if (record.provenance.date < since_) {
    const std::string_view day = std::string_view(record.provenance.date).substr(0, record.provenance.date.find('T'));
    old_.insert_or_assign(identity_of(record, folder),
                          FleetFailure{folder, fmt::format("its record is of {}, before --since", day)});
    return;
  }
  ++all_.records;
  dates_.push_back(record.provenance.date);
  const std::size_t gpu = gpu_of(record, folder);
  add_conditions(record, all_.gpus[gpu]);
  all_.gpus[gpu].programs.insert(program_of(record.provenance));
  look_for_a_copy(record, gpu, folder);
  std::map<std::string_view, const std::string*> varies;
  for (const ProbeRecord& probe : record.probes) varies.emplace(probe.name, &probe.varies);
  for (const Row& row : record.rows) {
    const auto said = varies.find(row.probe);
    if (row.estimates.empty()) note_lack(gpu, row.id);
    for (const Estimate& estimate : row.estimates) {
      if (!left_out(estimate, row.probe.empty()))
        add_value(gpu, row, estimate, said == varies.end() ? "" : *said->second);
    }
  }
  if (all_.gpus[gpu].sm_mhz > 0) {
    const double mhz = all_.gpus[gpu].sm_mhz;
    add_value(gpu, {.id = "clock/sm"}, {"clock", mhz, mhz, mhz, "MHz", "rate", 1, ""}, "");
  }
  ComparedParts parts = compare_parts(record);
  all_.parts_tested += parts.tested;
  for (PartOutlier& part : parts.away) {
    part.gpu = gpu;
    all_.parts.push_back(std::move(part));
  }
}

Observations FleetCollector::finish() {
  forget_what_is_older();
  for (auto& [gpu, failure] : old_)
    if (!gpus_.contains(gpu)) all_.failures.push_back(std::move(failure));
  for (FleetSeries& series : all_.series) {
    std::vector<FleetValue>& values = series.values;
    std::ranges::stable_sort(values, [&](const FleetValue& a, const FleetValue& b) {
      return a.gpu != b.gpu ? a.gpu < b.gpu : dates_[a.record] > dates_[b.record];
    });
    const auto older = std::ranges::unique(values, {}, &FleetValue::gpu);
    values.erase(older.begin(), older.end());
  }
  return std::move(all_);
}

namespace {

/// Reads these files at once, as many as there are cores.
std::vector<Expected<Record>> read_together(std::span<const fs::path> files) {
  std::vector<Expected<Record>> records(files.size(), fail("io", "not read"));
  for_each_at_once(files.size(), [&](std::size_t i) {
    records[i] = caught(files[i].string(), [&]() -> Expected<Record> {
      const Wanted wanted{.files = {RecordFile::Result, RecordFile::Instructions}, .numbers = true};
      return parse_record(WARPCLOCK_TRY(read_packed_file(files[i])), files[i].string(), wanted);
    });
  });
  return records;
}

}  // namespace

Expected<Observations> read_fleet(const fs::path& folder, const std::function<void(std::size_t, std::size_t)>& progress,
                                  const std::string& since) {
  constexpr std::size_t at_once = 64;
  RecordFiles files = WARPCLOCK_TRY(find_record_files(folder));
  FleetCollector collector(folder.string(), since);
  std::size_t unread = 0;
  // The clocks of nodes differ, but not by days.
  const auto later = std::chrono::system_clock::now() + std::chrono::hours(48);
  const std::string future = fmt::format("{:%Y-%m-%d}", fmt::gmtime(later));
  const auto batch = [&](std::size_t first) {
    return std::span(files.records).subspan(first, std::min(at_once, files.records.size() - first));
  };
  const auto begin_to_read = [&](std::size_t first) {
    return std::async(std::launch::async | std::launch::deferred, read_together, batch(first));
  };
  std::future<std::vector<Expected<Record>>> reading;
  if (!files.records.empty()) reading = begin_to_read(0);
  for (std::size_t first = 0; first < files.records.size(); first += at_once) {
    const std::span some = batch(first);
    const auto records = reading.get();
    // The next files are read while the numbers of these are taken.
    if (first + at_once < files.records.size()) reading = begin_to_read(first + at_once);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const std::string where = some[i].parent_path().lexically_relative(folder).generic_string();
      if (records[i] && records[i]->provenance.date > future) {
        collector.add({where, fmt::format("its record is of {}, in the future", records[i]->provenance.date)});
      } else if (records[i]) {
        collector.add(*records[i], where);
      } else {
        ++unread;
        collector.add({some[i].lexically_relative(folder).generic_string(), records[i].error().text});
      }
    }
    if (progress) progress(first + some.size(), files.records.size());
  }
  for (const fs::path& path : files.failures) collector.add(read_failure(path, folder));
  unread += files.unread.size();
  for (FleetFailure& one : files.unread) collector.add(std::move(one));
  Observations all = collector.finish();
  all.unread = unread;
  if (all.records == 0 && all.failures.empty())
    return fail("no-records",
                "there is no result.json.gz in it or below: `warpclock run --gpu all --out DIR` writes them",
                folder.string());
  return all;
}

namespace {

/// "GPU-d483ba7f-aaa5-bad0-9d98-020dbaec1eb9" of a line; empty if there is none.
std::string uuid_in(std::string_view line) {
  constexpr std::string_view begin = "GPU-", layout = "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  for (std::size_t at = line.find(begin); at != line.npos; at = line.find(begin, at + 1)) {
    const std::string_view word = line.substr(at, layout.size());
    const bool fits = std::ranges::equal(word, layout, [](char c, char wanted) {
      return wanted == 'x' ? std::string_view("0123456789abcdef").contains(c) : c == wanted;
    });
    if (fits) return std::string(word);
  }
  return {};
}

}  // namespace

Expected<ExpectedGpus> expected_gpus(const std::string& given) {
  if (const auto count = whole_number<std::size_t>(given)) {
    if (*count == 0) return fail("usage", "--expect: a fleet has at least one GPU");
    return ExpectedGpus{count, {}};
  }
  return listed_gpus(WARPCLOCK_TRY(read_file(given, most_text_bytes)), given);
}

Expected<ExpectedGpus> listed_gpus(std::string_view text, const std::string& place) {
  ExpectedGpus expected;
  std::size_t number = 0;
  for (const std::string& line : lines(text)) {
    ++number;
    const std::string_view said = trim(line);
    if (said.empty() || said.starts_with('#')) continue;
    std::string uuid = uuid_in(said);
    if (uuid.empty())
      return fail("config", "there is no UUID of a GPU in this line: `nvidia-smi -L` prints them",
                  fmt::format("{}:{}", place, number));
    expected.uuids.push_back(std::move(uuid));
  }
  if (expected.uuids.empty()) return fail("config", "there is no GPU in this list", place);
  sort_once(expected.uuids);
  return expected;
}

std::vector<FleetFailure> missed(const ExpectedGpus& expected, const Observations& observations) {
  std::vector<FleetFailure> failures;
  if (expected.count) {
    if (const std::size_t count = observations.gpus.size(); count != *expected.count)
      failures.push_back({"--expect", fmt::format("{} expected, and there are records of {}",
                                                  counted(static_cast<std::int64_t>(*expected.count), "GPU"), count)});
    return failures;
  }
  std::set<std::string> absent(expected.uuids.begin(), expected.uuids.end());
  for (const FleetGpu& gpu : observations.gpus) {
    if (absent.erase(gpu.device.uuid) == 0)
      failures.push_back({gpu.folder, fmt::format("{} is not in the list of --expect", gpu.label)});
  }
  for (const std::string& uuid : absent) failures.push_back({uuid, "it is expected, and there is no record of it"});
  return failures;
}

}  // namespace warpclock
