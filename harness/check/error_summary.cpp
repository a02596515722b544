#include "check/error_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/terminal.hpp"
#include "check/study.hpp"
#include "gpu/job/statistics.hpp"
#include "predict/program/costs.hpp"

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

}  // namespace warpclock
