#include "check/row_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "check/study.hpp"
#include "gpu/job/statistics.hpp"
#include "predict/prediction_output.hpp"
#include "predict/program/costs.hpp"
#include "record/record.hpp"

namespace warpclock {
namespace {

std::string summary_line(const std::string& of, const std::vector<KernelRow>& rows) {
  const ErrorSummary all = summary_of(rows);
  if (all.count == 0) return {};
  std::string line = fmt::format("{}: {}, median error {:.1f} %, 95 % within {:.1f} %, worst {:+.1f} % ({})", of,
                                 counted(static_cast<std::int64_t>(all.count), "kernel"), all.median, all.within,
                                 all.worst, all.worst_id);
  if (all.decided > 0) line += fmt::format("; the limiter is right in {} of {}", all.agreed, all.decided);
  return line;
}

bool is_block(const KernelRow& row) { return row.study == block_study; }

std::size_t warps_of(const KernelRow& row) {
  const Value* warps = find(row.parameters, "warps");
  const auto* number = warps == nullptr ? nullptr : std::get_if<std::int64_t>(warps);
  return number == nullptr ? 0 : static_cast<std::size_t>(*number);
}

/// By counters, or without them by the model.
bool bound_by_memory(const KernelRow& row) {
  const bool counted = row.measurement && !row.measurement->limiter.empty();
  const std::string& limiter = counted ? row.measurement->limiter : row.prediction.limiter;
  return limiter == "L2" || limiter == "DRAM";
}

/// Whether L2 and DRAM are used for so little of the time that it is for what a kernel loads first and stores last.
bool on_chip(const KernelRow& row) {
  constexpr double little = 0.1;
  if (row.cold || !row.measurement || row.measurement->shares.empty()) return false;
  return std::ranges::none_of(row.measurement->shares, [](const ResourceShare& one) {
    return (one.name == "L2" || one.name == "DRAM") && one.share >= little;
  });
}

}  // namespace

ErrorSummary summary_of(std::span<const KernelRow> rows) {
  ErrorSummary all;
  std::vector<double> sizes;
  for (const KernelRow& row : rows) {
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

std::vector<std::string> error_lines(std::span<const KernelRow> rows) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& of, auto&& is_meant) {
    std::vector<KernelRow> some;
    std::ranges::copy_if(rows, std::back_inserter(some), is_meant);
    if (std::string line = summary_line(of, some); !line.empty()) lines.push_back(std::move(line));
  };
  const auto held_out = [](const KernelRow& row) { return row.held_out; };
  add("all", [](const KernelRow&) { return true; });
  add("held out", held_out);
  if (std::ranges::any_of(rows, is_block)) {
    for (const bool one : {true, false}) {
      const std::string of = one ? "one warp on a sub-partition" : "several warps";
      const auto meant = [&](const KernelRow& row) {
        return is_block(row) && (warps_of(row) <= sub_partitions) == one;
      };
      add(of + ", used", [&](const KernelRow& row) { return meant(row) && !row.held_out; });
      add(of + ", held out", [&](const KernelRow& row) { return meant(row) && row.held_out; });
    }
    return lines;
  }
  add("L2 or DRAM limits them", bound_by_memory);
  add("L2 and DRAM are used for less than 10 % of the time", on_chip);
  add("others", [](const KernelRow& row) { return !bound_by_memory(row) && !on_chip(row); });
  return lines;
}

namespace {

std::string signed_number(double value) { return fmt::format("{:+.1f}", value); }

std::string predicted_text(const KernelPrediction& one) {
  if (!one.refused.empty()) return "    predicted  nothing: " + one.refused + "\n";
  return fmt::format("    predicted  {} cycles; {}\n", range_text(one.low, one.high), shares_text(one.bounds));
}

std::string library_line(const KernelRow& row) {
  if (!row.library) return {};
  const LibraryMeasurement& one = *row.library;
  const std::string more = one.missing.empty() ? fmt::format(", {:.2f} us by events", one.us) : ": " + one.missing;
  return "    library    " + library_text(row) + more + "\n";
}

std::string measured_text(const KernelRow& row) {
  const KernelMeasurement& one = *row.measurement;
  std::string text =
      fmt::format("    measured   {:.0f} cycles ({:.0f} to {:.0f}) by {}, {:.2f} us by events at {:.0f} MHz\n",
                  one.cycles, one.cycles_low, one.cycles_high, one.by, one.us, row.clock.sm_mhz);
  if (const auto error = error_of(row)) text += "    error      " + error_text(*error) + "\n";
  text += library_line(row);
  if (one.limiter.empty())
    return text + "    limiter    not known: " +
           (row.counters_missing.empty() ? std::string("no counters") : row.counters_missing) + "\n";
  const auto agrees = limiter_agrees(row);
  const std::string verdict = !agrees ? "" : *agrees ? "; as predicted" : "; predicted " + row.prediction.limiter;
  // A resource that is hardly used decides nothing.
  const bool decides = !one.shares.empty() && one.shares.front().name == one.limiter;
  const std::string by = decides ? " by " + one.shares.front().counter : "";
  return text + fmt::format("    limiter    {}{}: {}{}\n", one.limiter, by, shares_text(one.shares), verdict);
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

std::string library_text(const KernelRow& row) {
  if (!row.library) return {};
  const LibraryMeasurement& one = *row.library;
  if (!one.missing.empty()) return one.name + " was not timed";
  return fmt::format("{:.0f} % of {} {}", 100 * one.share, one.name, one.version);
}

std::string row_text(const KernelRow& row, const Style& style) {
  std::string text = style.bold(row.id) + "\n" + predicted_text(row.prediction);
  if (row.measurement) return text + measured_text(row);
  return text + fmt::format("    {:<10} {}: {}\n", word(row.outcome), row.reason.code, row.reason.text);
}

std::string table_text(const KernelTable& table) {
  std::vector<std::string> counts;
  for (const Outcome outcome : outcomes) {
    const auto count = std::ranges::count(table.rows, outcome, &KernelRow::outcome);
    if (count > 0) counts.push_back(fmt::format("{} {}", count, word(outcome)));
  }
  std::string text = join(counts, ", ");
  const auto refused =
      std::ranges::count_if(table.rows, [](const auto& row) { return !row.prediction.refused.empty(); });
  if (refused > 0) text += fmt::format("; {} without a prediction", refused);
  text += "\n";
  for (const std::string& line : error_lines(table.rows)) text += line + "\n";
  return text;
}

}  // namespace warpclock
