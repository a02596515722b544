#include "check/case_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "gpu/job/statistics.hpp"
#include "predict/prediction_output.hpp"
#include "predict/program/costs.hpp"
#include "record/record.hpp"

namespace warpclock {

namespace {

/// Below this no resource is called the limiter. NVIDIA's Nsight Compute calls a kernel with less than 60 % of the peak
/// of every unit bound by latency (Kernel Profiling Guide, "Speed Of Light").
constexpr double enough = 0.6;

struct PercentCounter {
  std::string_view resource, counter;
};

/// In percent of the peak while the SM has a warp. The four sub-partitions share one ADU. The LSU takes one request in
/// a cycle and does one turn of the banks; cp.async is two requests.
constexpr std::array<PercentCounter, 12> percent_counters = {
    {{"issue", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
     {"unit adu", "sm__inst_executed_pipe_adu.avg.pct_of_peak_sustained_active"},
     {"pipe alu", "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active"},
     {"pipe fma", "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active"},
     {"pipe fp64", "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active"},
     {"pipe lsu", "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active"},
     {"unit lsu", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active"},
     {"unit lsu", "l1tex__lsuin_requests.avg.pct_of_peak_sustained_active"},
     {"pipe tensor", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"},
     {"pipe tex", "sm__inst_executed_pipe_tex.avg.pct_of_peak_sustained_active"},
     {"pipe uniform", "sm__inst_executed_pipe_uniform.avg.pct_of_peak_sustained_active"},
     {"pipe xu", "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active"}}};

struct ByteCounter {
  std::string_view resource, counter, rate;
  double bytes = 1;  ///< of one count
};

/// Bytes that a warp asks for of a line of its own each (`bandwidth/coalesce_stride` with 32 words).
constexpr double asked = 4;

/// What all SMs move, and the leaf with the bytes that each SM can have of it in a cycle while all do. A line that
/// several SMs ask for leaves L2 less often than it arrives at them, and L2 answers so many requests in a cycle whether
/// they are for one sector of a line or for four; so each of them is looked at.
constexpr std::array<ByteCounter, 7> byte_counters = {
    {{"L2", "lts__t_sectors_srcunit_tex_op_read.sum", "transfers/l2.load/rate.all_sms", 32},
     {"L2", "l1tex__m_xbar2l1tex_read_bytes.sum", "transfers/l2.load/rate.all_sms.same_lines"},
     {"L2", "lts__t_requests_srcunit_tex_op_read.sum", "transfers/l2.load/rate.all_sms.own_lines", asked},
     {"L2", "l1tex__m_l1tex2xbar_write_bytes.sum", "transfers/l2.store/rate.all_sms"},
     {"L2", "lts__t_requests_srcunit_tex_op_write.sum", "transfers/l2.store/rate.all_sms.own_lines", asked},
     {"DRAM", "dram__bytes_read.sum", "transfers/dram.load/rate.all_sms"},
     {"DRAM", "dram__bytes_write.sum", "transfers/dram.store/rate.all_sms"}}};

const double* value_of(const std::map<std::string, double>& counted, std::string_view counter) {
  return value_at(counted, std::string(counter));
}

/// The largest of several shares of one resource is the resource's. But reads and writes of DRAM share its bus.
void add_share(std::vector<ResourceShare>& shares, std::string_view resource, const std::string& counter,
               double share) {
  const auto same = std::ranges::find(shares, resource, &ResourceShare::name);
  if (same == shares.end()) {
    shares.push_back({std::string(resource), counter, share});
  } else if (resource == "DRAM") {
    same->share += share;
    same->counter += " + " + counter;
  } else if (share > same->share) {
    *same = {std::string(resource), counter, share};
  }
}

}  // namespace

const std::vector<std::string>& limit_counters() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {cycles_counter};
    for (const PercentCounter& one : percent_counters) all.emplace_back(one.counter);
    for (const ByteCounter& one : byte_counters) all.emplace_back(one.counter);
    return all;
  }();
  return names;
}

std::vector<ResourceShare> resource_shares(const std::map<std::string, double>& counted, const Machine& machine) {
  constexpr double percent = 100;
  std::vector<ResourceShare> shares;
  for (const PercentCounter& one : percent_counters) {
    if (const auto value = value_of(counted, one.counter); value && *value > 0)
      add_share(shares, one.resource, std::string(one.counter), *value / percent);
  }
  const auto cycles = value_of(counted, cycles_counter);
  for (const ByteCounter& one : byte_counters) {
    const auto count = value_of(counted, one.counter);
    const Leaf* rate = find_leaf(machine, one.rate);
    if (!count || !cycles || !(*cycles > 0) || rate == nullptr || machine.stated.sms == 0) continue;
    add_share(shares, one.resource, std::string(one.counter),
              *count * one.bytes / (*cycles * machine.stated.sms * rate->value));
  }
  std::ranges::stable_sort(shares, std::ranges::greater{}, &ResourceShare::share);
  return shares;
}

std::string limiter_of(const std::vector<ResourceShare>& shares) {
  if (shares.empty()) return "";
  return shares.front().share < enough ? "one warp alone" : shares.front().name;
}

namespace {

constexpr std::size_t most_bounds = 6;
/// The sweep before a cold launch stores, and leaves so many bytes in L2 that are to be written back:
/// `dram__bytes_write.sum` of kernels that store almost nothing (pipeline[l2=cold]: 22.8 to 28 MB on both GPUs).
constexpr double swept_bytes = 23e6;

void keep(Row& row, const Prediction& all) {
  KernelPrediction& out = row.kernel.prediction;
  if (!all.low || !all.high) {
    out.refused = join(mapped<std::string>(all.missing, [](const MissingNumber& one) { return one.why; }), "; ");
    return;
  }
  row.estimates.push_back({.name = "predicted",
                           .value = (*all.low + *all.high) / 2,
                           .low = *all.low,
                           .high = *all.high,
                           .unit = "cycles",
                           .method = "model"});
  out.clock_part = all.clock_part;
  out.limiter = all.limiter;
  for (const LowerBound& bound : all.bounds) {
    if (out.bounds.size() < most_bounds) out.bounds.push_back({bound.name, "", bound.share});
  }
  out.blocks_per_sm = all.blocks_per_sm;
  out.waves = all.waves;
  for (const UnknownCost& unknown : all.unknown) out.unknown.push_back(unknown.instruction + ": " + unknown.what);
  out.assumed = all.assumed;
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
Estimate time_of(const std::string& name, const std::vector<double>& launches_us, double empty_us) {
  const auto times = sorted_finite(launches_us);
  const Interval spread = median_interval(times);
  return {.name = name,
          .value = median(times) - empty_us,
          .low = spread.low - empty_us,
          .high = spread.high - empty_us,
          .unit = "us",
          .method = "events",
          .n = std::ssize(launches_us)};
}

/// `time` is that of the kernel.
void compare_with_library(Row& row, LibraryTimes seen, double time, double empty_us) {
  LibraryCall& call = row.kernel.library.emplace(
      LibraryCall{.name = "cuBLAS", .version = std::move(seen.version), .missing = std::move(seen.missing)});
  if (!call.missing.empty()) return;
  call.call_us = std::move(seen.us);
  row.estimates.push_back(time_of("library_time", call.call_us, empty_us));
  const Estimate& library = row.estimates.back();
  if (!(library.value > 0) || !(time > 0)) {
    call.missing = "it or the kernel took no longer than an empty kernel";
    return;
  }
  const double percent = 100 * (library.value / time);
  row.estimates.push_back({"cublas", percent, percent, percent, "% of cuBLAS", "events", library.n});
}

/// From the counter, or else the time at the SM clock.
Estimate cycles_of(const Observation& seen, const Estimate& time) {
  std::vector<double> cycles;
  for (const auto& launch : seen.counted) {
    if (const auto found = launch.find(cycles_counter); found != launch.end()) cycles.push_back(found->second);
  }
  cycles = sorted_finite(std::move(cycles));
  // Megahertz are cycles a microsecond.
  const SmClock clock = sm_clock(seen.clock);
  if (cycles.empty())
    return {"cycles", time.value * clock.mhz, time.low * clock.low, time.high * clock.high, "cycles", "events", time.n};
  const Interval interval = median_interval(cycles);
  return {"cycles", median(cycles), interval.low, interval.high, "cycles", cycles_counter, std::ssize(cycles)};
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

Row predicted_row(const KernelCase& one, const Expected<BuiltKernel>& built, const Machine& machine) {
  Row row;
  row.id = one.id, row.kind = RowKind::Kernel, row.probe = one.study;
  row.parameters = one.parameters;
  KernelPart& kernel = row.kernel;
  kernel.says = one.says, kernel.source = one.source, kernel.entry = one.kernel;
  kernel.grid = one.call.grid, kernel.block = one.call.block, kernel.shared_bytes = one.call.shared_bytes;
  kernel.cold = one.call.cold, kernel.held_out = one.held_out;
  if (!built) {
    row.outcome = Outcome::Failed;
    row.reason = {"compile", built.error().code, built.error().message()};
    kernel.prediction.refused = "there is no machine code";
    return row;
  }
  kernel.hash = built->hash;
  row.outcome = Outcome::Skipped;
  row.reason = {"run", std::string(word(ErrorCode::NotRun)), "nothing was measured"};
  const auto prediction = predict(*built->kernel, machine, options_of(one));
  if (prediction)
    keep(row, *prediction);
  else
    kernel.prediction.refused = prediction.error().message();
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

void add_answer(Row& row, Expected<Observation> seen, const Machine& machine) {
  if (!seen) {
    row.outcome = Outcome::Failed;
    row.reason = {"run", seen.error().code, seen.error().message()};
    return;
  }
  KernelPart& kernel = row.kernel;
  const double empty_us = median(sorted_finite(seen->empty_us));
  const Estimate time = time_of("time", seen->call_us, empty_us), cycles = cycles_of(*seen, time);
  kernel.shares = resource_shares(medians_of(seen->counted), machine);
  kernel.call_us = std::move(seen->call_us), kernel.empty_us = std::move(seen->empty_us);
  kernel.counted = std::move(seen->counted);
  row.counters_missing = std::move(seen->counters_missing);
  row.clock = seen->clock;
  // Without the SM clock, times are no cycles.
  if (!std::isfinite(cycles.value) || !(cycles.value > 0)) {
    row.outcome = Outcome::Rejected;
    row.reason = {"analyze", "clock", "neither a counter nor the SM clock says how many cycles the launch took"};
    kernel.shares.clear();
    return;
  }
  kernel.limiter = limiter_of(kernel.shares);
  row.estimates.push_back(cycles);
  row.estimates.push_back(time);
  row.estimates.push_back({"empty_time", empty_us, empty_us, empty_us, "us", "events", std::ssize(kernel.empty_us)});
  const LibraryTimes& library = seen->library;
  if (!library.us.empty() || !library.missing.empty()) compare_with_library(row, library, time.value, empty_us);
  row.outcome = Outcome::Measured;
  row.reason = {};
}

namespace {

std::string summary_line(const std::string& of, const std::vector<Row>& rows) {
  const ErrorSummary all = summary_of(rows);
  if (all.count == 0) return {};
  std::string line = fmt::format("{}: {}, median error {:.1f} %, 95 % within {:.1f} %, worst {:+.1f} % ({})", of,
                                 counted(static_cast<std::int64_t>(all.count), "kernel"), all.median, all.within,
                                 all.worst, all.worst_id);
  if (all.decided > 0) line += fmt::format("; the limiter is right in {} of {}", all.agreed, all.decided);
  return line;
}

bool is_block(const Row& row) { return row.probe == block_study; }

std::size_t warps_of(const Row& row) {
  const auto* number = find_as<std::int64_t>(row.parameters, "warps");
  return number == nullptr ? 0 : static_cast<std::size_t>(*number);
}

/// By counters, or without them by the model.
bool bound_by_memory(const Row& row) {
  const KernelPart& kernel = row.kernel;
  const std::string& limiter = kernel.limiter.empty() ? kernel.prediction.limiter : kernel.limiter;
  return limiter == "L2" || limiter == "DRAM";
}

/// Whether L2 and DRAM are used for so little of the time that it is for what a kernel loads first and stores last.
bool on_chip(const Row& row) {
  constexpr double little = 0.1;
  if (row.kernel.cold || row.kernel.shares.empty()) return false;
  return std::ranges::none_of(row.kernel.shares, [](const ResourceShare& one) {
    return (one.name == "L2" || one.name == "DRAM") && one.share >= little;
  });
}

}  // namespace

ErrorSummary summary_of(std::span<const Row> rows) {
  ErrorSummary all;
  std::vector<double> sizes;
  for (const Row& row : rows) {
    if (const auto agrees = limiter_agrees(row)) {
      ++all.decided;
      all.agreed += *agrees ? 1U : 0U;
    }
    const auto error = error_of(row);
    if (!error) continue;
    sizes.push_back(std::abs(error->middle()));
    if (all.count++ > 0 && sizes.back() <= std::abs(all.worst)) continue;
    all.worst = error->middle();
    all.worst_id = row.id;
  }
  if (sizes.empty()) return all;
  constexpr double most = 0.95;
  const auto ascending = sorted_finite(std::move(sizes));
  all.median = median(ascending);
  all.within = quantile(ascending, most);
  return all;
}

std::vector<std::string> error_lines(std::span<const Row> rows) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& of, auto&& is_meant) {
    std::vector<Row> some;
    std::ranges::copy_if(rows, std::back_inserter(some), is_meant);
    if (std::string line = summary_line(of, some); !line.empty()) lines.push_back(std::move(line));
  };
  const auto held_out = [](const Row& row) { return row.kernel.held_out; };
  add("all", [](const Row&) { return true; });
  add("held out", held_out);
  if (std::ranges::any_of(rows, is_block)) {
    for (const bool one : {true, false}) {
      const std::string of = one ? "one warp on a sub-partition" : "several warps";
      const auto meant = [&](const Row& row) { return is_block(row) && (warps_of(row) <= sub_partitions) == one; };
      add(of + ", used", [&](const Row& row) { return meant(row) && !row.kernel.held_out; });
      add(of + ", held out", [&](const Row& row) { return meant(row) && row.kernel.held_out; });
    }
    return lines;
  }
  add("L2 or DRAM limits them", bound_by_memory);
  add("L2 and DRAM are used for less than 10 % of the time", on_chip);
  add("others", [](const Row& row) { return !bound_by_memory(row) && !on_chip(row); });
  return lines;
}

namespace {

std::string signed_number(double value) { return fmt::format("{:+.1f}", value); }

std::string predicted_text(const Row& row) {
  const Estimate* predicted = estimate_in(row, "predicted");
  if (predicted == nullptr) return "    predicted  nothing: " + row.kernel.prediction.refused + "\n";
  return fmt::format("    predicted  {} cycles; {}\n", range_text(predicted->low, predicted->high),
                     shares_text(row.kernel.prediction.bounds));
}

std::string library_line(const Row& row) {
  if (!row.kernel.library) return {};
  const Estimate* time = estimate_in(row, "library_time");
  const std::string& missing = row.kernel.library->missing;
  const std::string more = missing.empty() ? fmt::format(", {:.2f} us by events", time->value) : ": " + missing;
  return "    library    " + library_text(row) + more + "\n";
}

std::string measured_text(const Row& row) {
  const Estimate &cycles = *estimate_in(row, "cycles"), &time = *estimate_in(row, "time");
  const KernelPart& kernel = row.kernel;
  std::string text =
      fmt::format("    measured   {:.0f} cycles ({:.0f} to {:.0f}) by {}, {:.2f} us by events at {:.0f} MHz\n",
                  cycles.value, cycles.low, cycles.high, cycles.method, time.value, row.clock.sm_mhz);
  if (const auto error = error_of(row)) text += "    error      " + error_text(*error) + "\n";
  text += library_line(row);
  if (kernel.limiter.empty())
    return text + "    limiter    not known: " +
           (row.counters_missing.empty() ? std::string("no counters") : row.counters_missing) + "\n";
  const auto agrees = limiter_agrees(row);
  const std::string verdict = !agrees ? "" : *agrees ? "; as predicted" : "; predicted " + kernel.prediction.limiter;
  // A resource that is hardly used decides nothing.
  const bool decides = !kernel.shares.empty() && kernel.shares.front().name == kernel.limiter;
  const std::string by = decides ? " by " + kernel.shares.front().counter : "";
  return text + fmt::format("    limiter    {}{}: {}{}\n", kernel.limiter, by, shares_text(kernel.shares), verdict);
}

}  // namespace

std::string error_text(const SignedError& error) {
  const std::string low = signed_number(error.low), high = signed_number(error.high);
  return low == high ? low + " %" : low + " to " + high + " %";
}

std::string shares_text(const std::vector<ResourceShare>& shares, std::size_t most) {
  std::vector<std::string> parts;
  for (const ResourceShare& one : shares) {
    if (parts.size() == most) break;
    parts.push_back(fmt::format("{} {:.0f} %", one.name, 100 * one.share));
  }
  return join(parts, ", ");
}

std::string library_text(const Row& row) {
  if (!row.kernel.library) return {};
  const LibraryCall& one = *row.kernel.library;
  // A record that somebody changed may say neither why it was not timed nor the time.
  const Estimate* share = estimate_in(row, "cublas");
  if (!one.missing.empty() || share == nullptr) return one.name + " was not timed";
  return fmt::format("{:.0f} % of {} {}", share->value, one.name, one.version);
}

std::string row_text(const Row& row, const Style& style) {
  std::string text = style.bold(row.id) + "\n" + predicted_text(row);
  if (row.outcome == Outcome::Measured) return text + measured_text(row);
  return text + fmt::format("    {:<10} {}: {}\n", word(row.outcome), row.reason.code, row.reason.text);
}

std::string table_text(const Record& table) {
  std::vector<std::string> counts;
  for (const Outcome outcome : outcomes) {
    const auto count = std::ranges::count(table.rows, outcome, &Row::outcome);
    if (count > 0) counts.push_back(fmt::format("{} {}", count, word(outcome)));
  }
  std::string text = join(counts, ", ");
  const auto refused =
      std::ranges::count_if(table.rows, [](const auto& row) { return !row.kernel.prediction.refused.empty(); });
  if (refused > 0) text += fmt::format("; {} without a prediction", refused);
  text += "\n";
  for (const std::string& line : error_lines(table.rows)) text += line + "\n";
  return text;
}

}  // namespace warpclock
