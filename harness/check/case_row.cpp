#include "check/case_row.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "check/limit_counters.hpp"
#include "gpu/job/statistics.hpp"

namespace warpclock {
namespace {

constexpr std::size_t most_bounds = 6;
/// The sweep before a cold launch stores, and leaves so many bytes in L2 that are to be written back:
/// `dram__bytes_write.sum` of kernels that store almost nothing (pipeline[l2=cold]: 22.8 to 28 MB on both GPUs).
constexpr double swept_bytes = 23e6;

KernelPrediction kept(const Prediction& all) {
  KernelPrediction out;
  if (!all.low || !all.high) {
    out.refused = join(mapped<std::string>(all.missing, [](const MissingNumber& one) { return one.why; }), "; ");
    return out;
  }
  out.low = *all.low, out.high = *all.high;
  out.clock_part = all.clock_part;
  out.limiter = all.limiter;
  for (const LowerBound& bound : all.bounds) {
    if (out.bounds.size() < most_bounds) out.bounds.push_back({bound.name, "", bound.share});
  }
  out.blocks_per_sm = all.blocks_per_sm;
  out.waves = all.waves;
  for (const UnknownCost& unknown : all.unknown) out.unknown.push_back(unknown.instruction + ": " + unknown.what);
  out.assumed = all.assumed;
  return out;
}

/// The median of each counter over the launches.
std::map<std::string, double> medians_of(const std::vector<std::map<std::string, double>>& counted) {
  std::map<std::string, std::vector<double>> all;
  for (const auto& launch : counted)
    for (const auto& [name, value] : launch) all[name].push_back(value);
  std::map<std::string, double> out;
  for (auto& [name, values] : all) out.emplace(name, median(sorted_finite(std::move(values))));
  return out;
}

/// The median of launches and its interval, less what an empty kernel takes.
void set_times(const std::vector<double>& launches_us, double empty_us, auto& out) {
  const auto times = sorted_finite(launches_us);
  const Interval spread = median_interval(times);
  out.us = median(times) - empty_us;
  out.us_low = spread.low - empty_us, out.us_high = spread.high - empty_us;
}

LibraryMeasurement compared(LibraryTimes seen, const KernelMeasurement& kernel) {
  LibraryMeasurement out{.name = "cuBLAS", .version = std::move(seen.version), .missing = std::move(seen.missing)};
  if (!out.missing.empty()) return out;
  set_times(seen.us, kernel.empty_us, out);
  out.call_us = std::move(seen.us);
  if (out.us > 0 && kernel.us > 0)
    out.share = out.us / kernel.us;
  else
    out.missing = "it or the kernel took no longer than an empty kernel";
  return out;
}

KernelMeasurement measured(const Observation& seen, const Machine& machine) {
  KernelMeasurement out;
  out.empty_us = median(sorted_finite(seen.empty_us));
  set_times(seen.call_us, out.empty_us, out);
  std::vector<double> cycles;
  for (const auto& launch : seen.counted) {
    if (const auto found = launch.find(cycles_counter); found != launch.end()) cycles.push_back(found->second);
  }
  cycles = sorted_finite(std::move(cycles));
  if (cycles.empty()) {
    // Megahertz are cycles a microsecond.
    const SmClock clock = sm_clock(seen.clock);
    out.by = "events";
    out.cycles = out.us * clock.mhz;
    out.cycles_low = out.us_low * clock.low, out.cycles_high = out.us_high * clock.high;
  } else {
    const Interval interval = median_interval(cycles);
    out.by = cycles_counter;
    out.cycles = median(cycles), out.cycles_low = interval.low, out.cycles_high = interval.high;
  }
  out.shares = resource_shares(medians_of(seen.counted), machine);
  out.limiter = limiter_of(out.shares);
  return out;
}

}  // namespace

PredictOptions options_of(const KernelCase& one) {
  PredictOptions what;
  const auto volume = [](const std::vector<std::int64_t>& extents) {
    return extents.at(0) * extents.at(1) * extents.at(2);
  };
  what.blocks = volume(one.call.grid);
  for (std::size_t i = 0; i < one.call.grid.size(); ++i) what.shape.grid[i] = static_cast<int>(one.call.grid[i]);
  what.threads = static_cast<int>(volume(one.call.block));
  what.dynamic_bytes = one.call.shared_bytes;
  what.trips = one.trips;
  for (std::size_t i = 0; i < what.shape.block.size(); ++i)
    what.shape.block[i] = static_cast<int>(one.call.block.at(i));
  for (std::size_t i = 0; i < one.call.arguments.size(); ++i)
    what.shape.arguments.push_back({static_cast<int>(i), one.call.arguments[i]});
  what.level = one.level;
  what.level_from = "the file";
  if (one.call.cold) what.held_before = swept_bytes;
  what.hits = one.hits;
  return what;
}

KernelRow predicted_row(const KernelCase& one, const Expected<BuiltKernel>& built, const Machine& machine) {
  KernelRow row;
  row.id = one.id, row.study = one.study, row.says = one.says;
  row.parameters = one.parameters;
  row.source = one.source, row.kernel = one.kernel;
  row.grid = one.call.grid, row.block = one.call.block, row.shared_bytes = one.call.shared_bytes;
  row.cold = one.call.cold, row.held_out = one.held_out;
  if (!built) {
    row.outcome = Outcome::Failed;
    row.reason = {"compile", built.error().code, built.error().message()};
    row.prediction.refused = "there is no machine code";
    return row;
  }
  row.hash = built->hash;
  row.outcome = Outcome::Skipped;
  row.reason = {"run", std::string(word(ErrorCode::NotRun)), "nothing was measured"};
  const auto prediction = predict(*built->kernel, machine, options_of(one));
  if (prediction)
    row.prediction = kept(*prediction);
  else
    row.prediction.refused = prediction.error().message();
  return row;
}

Job job_of(const KernelCase& one, const BuiltKernel& built, const std::vector<std::string>& counters) {
  Job job;
  job.id = one.id;
  job.cubin_path = built.cubin_path;
  job.counters = counters;
  job.call = one.call;
  job.call.symbol = built.kernel->listing.kernel;
  return job;
}

void add_answer(KernelRow& row, Expected<Observation> seen, const Machine& machine) {
  if (!seen) {
    row.outcome = Outcome::Failed;
    row.reason = {"run", seen.error().code, seen.error().message()};
    return;
  }
  KernelMeasurement made = measured(*seen, machine);
  row.call_us = std::move(seen->call_us), row.empty_us = std::move(seen->empty_us);
  row.counted = std::move(seen->counted);
  row.counters_missing = std::move(seen->counters_missing);
  row.clock = seen->clock;
  // Without the SM clock, times are no cycles.
  if (!std::isfinite(made.cycles) || !(made.cycles > 0)) {
    row.outcome = Outcome::Rejected;
    row.reason = {"analyze", "clock", "neither a counter nor the SM clock says how many cycles the launch took"};
    return;
  }
  const LibraryTimes& library = seen->library;
  if (!library.us.empty() || !library.missing.empty()) row.library = compared(library, made);
  row.measurement = std::move(made);
  row.outcome = Outcome::Measured;
  row.reason = {};
}

}  // namespace warpclock
