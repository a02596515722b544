#include "measure/machine/machine_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "analyze/estimates.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "gpu/job/statistics.hpp"

namespace warpclock {
namespace {

constexpr int schedulers = 4;  // per SM, sm_70 and later

Estimate estimate_of(const std::string& name, const Line& line) {
  return {.name = name,
          .value = line.slope,
          .low = line.slope_low,
          .high = line.slope_high,
          .unit = "cycles",
          .method = "slope",
          .n = line.samples};
}

/// Whether the end of a curve is as steep as the whole. The first stores only fill a queue.
bool is_steady(const IssueCell& cell, const Line& line) {
  constexpr double most_share = 0.03;
  const auto &last = cell.curve.back(), &before = cell.curve[cell.curve.size() - 2];
  const double span = last.first - before.first, slope = (last.second - before.second) / span;
  return std::abs(slope - line.slope) <= most_share * line.slope + 2 * skew_cycles(cell.warps) / span;
}

}  // namespace

void note_latency(Row& row, const DependencyLatency& latency) {
  const int source = latency.path.source;
  row.machine.paths.push_back(latency.path);
  if (latency.cycles) {
    row.estimates.push_back(*latency.cycles);
    row.estimates.back().name = fmt::format("latency.{}", source);
  }
  const auto stall = [&](const char* name, const std::optional<int>& least) {
    if (!least) return;
    const double value = *least;
    row.estimates.push_back({fmt::format("{}.{}", name, source), value, value, value, "cycles", "least right"});
  };
  stall("minimum_stall", latency.least_right);
  stall("minimum_stall_among_warps", latency.busy_least_right);
}

Estimate encoded_cycles(int cycles) {
  const double value = cycles;
  return {.name = "encoded",
          .value = value,
          .low = value,
          .high = value,
          .unit = "cycles",
          .method = "encoded",
          .note = "the fewest that ptxas leaves before an instruction reads the result"};
}

void reject_without_number(Row& row) {
  const auto encoded = [](const Estimate& one) { return one.method == "encoded"; };
  if (row.outcome != Outcome::Measured || !std::ranges::all_of(row.estimates, encoded)) return;
  std::vector<std::string> notes;
  const auto add = [&](const std::string& note) {
    if (!note.empty()) index_or_add(notes, note);
  };
  for (const OperandPath& path : row.machine.paths) add(path.note);
  for (const IssueCell& cell : row.machine.cells) add(cell.note);
  row.outcome = Outcome::Rejected;
  row.reason = {"analyze", "no-number", join(notes, "; ")};
}

StaleReads stale_reads(std::span<const MachineSample> samples, const StaleSearch& search) {
  struct Right {
    std::string digest;
    double cycles = 0;
  };
  const auto is_looked_at = [&](const MachineWindow& window) {
    return window.kind == search.kind && window.source == search.source && window.warps == search.warps;
  };
  const auto data_of = [](const MachineWindow& window) {
    return std::tuple(window.n, window.data, window.first_thread);
  };
  std::map<std::tuple<int, std::size_t, int>, Right> right;  // by length, data and first thread
  bool any = false;
  for (const MachineSample& sample : samples) {
    const MachineWindow& window = *sample.window;
    if (!is_looked_at(window) || window.stall != search.most) continue;
    any = true;
    if (!sample.digest.empty()) right[data_of(window)] = {sample.digest, median(sorted_finite(sample.series.cycles))};
  }
  StaleReads reads;
  if (right.empty()) {
    if (any) reads.note = "what it computes differs from launch to launch";
    return reads;
  }
  std::set<int> wrong, tried;
  for (const MachineSample& sample : samples) {
    const MachineWindow& window = *sample.window;
    if (!is_looked_at(window)) continue;
    tried.insert(window.stall);
    const auto expected = right.find(data_of(window));
    if (expected == right.end()) continue;
    // A scoreboard wait takes equally long for every stall count. A much shorter time means that the read did not wait.
    const bool missed =
        search.scoreboard && median(sorted_finite(sample.series.cycles)) < 0.9 * expected->second.cycles;
    if (missed || sample.digest != expected->second.digest) wrong.insert(window.stall);
  }
  reads.wrong.assign(wrong.begin(), wrong.end());
  if (wrong.empty()) {
    reads.note = "any stall count gives the right result: the minimum cannot be observed";
  } else if (const int next = *tried.upper_bound(*wrong.rbegin()); next == search.most) {
    reads.note = fmt::format("a stall count of {} is not enough", *wrong.rbegin());
  } else {
    reads.least_right = next;
  }
  return reads;
}

Expected<Estimate> chain_cycles(std::span<const MachineSample> samples, int source, Centre centre) {
  Samples chains;
  for (const MachineSample& sample : samples) {
    const MachineWindow& window = *sample.window;
    if (window.kind == MachineWindow::Kind::Chain && window.source == source) chains.push_back(sample.series);
  }
  const auto line = WARPCLOCK_TRY(fit_line(chains, centre));
  return estimate_of(fmt::format("latency.{}", source), line);
}

std::vector<IssueCell> issue_cells(std::span<const MachineSample> samples, Centre centre) {
  std::map<std::tuple<int, int, bool>, Samples> by_cell;
  for (const MachineSample& sample : samples) {
    const MachineWindow& window = *sample.window;
    if (window.kind != MachineWindow::Kind::Issue) continue;
    by_cell[{window.warps, window.stall, window.yield}].push_back(sample.series);
  }
  std::vector<IssueCell> cells;
  for (const auto& [where, series] : by_cell) {
    IssueCell& cell = cells.emplace_back();
    std::tie(cell.warps, cell.stall, cell.yield) = where;
    for (const Series& one : series) {
      const std::vector<double> ascending = sorted_finite(one.cycles);
      const double middle = centre == Centre::Median ? median(ascending) : trimmed_mean(ascending);
      cell.curve.emplace_back(static_cast<int>(one.n), middle);
    }
    const auto line = fit_line(series, centre);
    if (!line) {
      cell.note = line.error().text;
      continue;
    }
    const double share = std::max(1.0, static_cast<double>(cell.warps) / schedulers);
    const double doubt = skew_cycles(cell.warps) / std::max(line->span, 1.0);
    cell.note = line->bend;
    if (!is_steady(cell, *line)) cell.note = "the last instructions take longer or shorter than the first";
    cell.cycles = line->slope / share;
    cell.low = (line->slope_low - doubt) / share;
    cell.high = (line->slope_high + doubt) / share;
  }
  return cells;
}

namespace {

/// The cycles of the launches of each of the longest issue windows.
std::vector<std::pair<const MachineWindow*, std::vector<double>>> longest_windows(
    std::span<const MachineSample> samples) {
  int longest = 0;
  for (const MachineSample& sample : samples) {
    if (sample.window->kind == MachineWindow::Kind::Issue) longest = std::max(longest, sample.window->n);
  }
  std::vector<std::pair<const MachineWindow*, std::vector<double>>> found;
  for (const MachineSample& sample : samples) {
    const MachineWindow& window = *sample.window;
    if (window.kind == MachineWindow::Kind::Issue && window.n == longest && !sample.series.cycles.empty())
      found.emplace_back(&window, sample.series.cycles);
  }
  return found;
}

}  // namespace

bool launches_differ(std::span<const MachineSample> samples) {
  constexpr double most_share = 0.01;
  return std::ranges::any_of(longest_windows(samples), [&](const auto& one) {
    const auto [least, most] = std::ranges::minmax(one.second);
    return most - least > most_share * least + 2 * skew_cycles(one.first->warps);
  });
}

bool means_are_known(std::span<const MachineSample> samples) {
  constexpr double share = 0.01, standard_errors = 3;
  return std::ranges::all_of(longest_windows(samples), [&](const auto& one) {
    const std::vector<double>& cycles = one.second;
    const auto n = static_cast<double>(cycles.size());
    const double mean = std::accumulate(cycles.begin(), cycles.end(), 0.0) / n;
    double squares = 0;
    for (const double each : cycles) squares += (each - mean) * (each - mean);
    return standard_errors * std::sqrt(squares) / n <= share * mean;
  });
}

std::optional<Estimate> issue_interval(std::span<const IssueCell> cells) {
  // Other warps can only make a warp wait longer, so the lowest steady cells count. Of these the narrowest: where two
  // warps share a scheduler, they hide more of what a trip costs the more copies it has, and their line is too flat.
  constexpr double level = 1.03;
  const auto is_unsteady = [](const IssueCell& cell) { return !cell.note.empty(); };
  std::vector<const IssueCell*> some;
  for (const IssueCell& cell : cells) {
    if (cell.warps >= schedulers && cell.cycles > 0) some.push_back(&cell);
  }
  if (some.empty()) return std::nullopt;
  const auto* lowest = *std::ranges::min_element(
      some, {}, [&](const IssueCell* one) { return std::pair(is_unsteady(*one), one->high); });
  // If few warps do not keep the memory busy, the line of more warps says more, even if it bends.
  for (const IssueCell* one : some) {
    if (one->warps > lowest->warps && level * one->cycles < lowest->cycles) lowest = one;
  }
  std::erase_if(some, [&](const IssueCell* one) {
    return is_unsteady(*one) != is_unsteady(*lowest) || one->cycles > level * lowest->cycles ||
           level * one->cycles < lowest->cycles;
  });
  const IssueCell* const best =
      *std::ranges::min_element(some, {}, [](const IssueCell* one) { return one->high - one->low; });
  Estimate interval{.name = "interval",
                    .value = best->cycles,
                    .low = best->low,
                    .high = best->high,
                    .unit = "cycles",
                    .method = "slope",
                    .n = std::ssize(best->curve),
                    .note = fmt::format("{} warps", best->warps)};
  // A scheduler issues an instruction a clock.
  return keep_possible(interval, {.least = 1}) ? std::optional(std::move(interval)) : std::nullopt;
}

}  // namespace warpclock
