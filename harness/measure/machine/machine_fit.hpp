#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyze/fit.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/job/samples.hpp"
#include "measure/machine/machine_plan.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The result of a window.
struct MachineSample {
  const MachineWindow* window = nullptr;
  Series series;
  std::string digest;           ///< empty if two launches computed different results
  CounterValues counters = {};  ///< if they were read instead
};

/// Which stall counts suffice for a dependency.
struct StaleReads {
  std::optional<int> least_right;
  std::vector<int> wrong;
  std::string note;  ///< why `least_right` is missing
};

/// What is known of the latency from one source operand while it is measured.
struct DependencyLatency {
  OperandPath path;
  std::optional<Estimate> cycles;  ///< slope of the chain over its length, in cycles per instruction
  std::optional<int> least_right, busy_least_right;
};

/// Adds the path and its numbers to a row (OperandPath).
void note_latency(Row& row, const DependencyLatency& latency);

/// Of a fixed latency (fields/form.hpp).
[[nodiscard]] Estimate encoded_cycles(int cycles);

/// Rejects a row in which no number was found, with what its paths and cells say of that.
void reject_without_number(Row& row);

/// Selects the windows to compare.
struct StaleSearch {
  MachineWindow::Kind kind = MachineWindow::Kind::Stale;
  int source = 0;
  int warps = quiet_warps;
  int most = 15;  ///< the largest stall count tried, which is assumed to be right
  /// For results signalled by a scoreboard: a window that takes less than nine tenths of the right one's cycles did not
  /// wait, whatever it computed.
  bool scoreboard = false;
};

/// A stall count is wrong if any of the data shows it. Data for which two launches compute different results show
/// nothing.
[[nodiscard]] StaleReads stale_reads(std::span<const MachineSample> samples, const StaleSearch& search);

/// Slope of the timed chains through a source. Errors: those of fit_line().
[[nodiscard]] Expected<Estimate> chain_cycles(std::span<const MachineSample> samples, int source,
                                              Centre centre = Centre::Median);

/// A cell for each number of warps, stall count and yield hint among the independent copies.
[[nodiscard]] std::vector<IssueCell> issue_cells(std::span<const MachineSample> samples,
                                                 Centre centre = Centre::Median);

/// Whether the launches of a window differ by more than a row may between two processes. The longest windows decide.
[[nodiscard]] bool launches_differ(std::span<const MachineSample> samples);

/// Whether three standard errors of the mean of each of the longest issue windows are at most 1 % of it.
[[nodiscard]] bool means_are_known(std::span<const MachineSample> samples);

/// The interval with the lowest upper bound among the cells that load every scheduler, steady ones first; nothing if
/// none is linear.
[[nodiscard]] std::optional<Estimate> issue_interval(std::span<const IssueCell> cells);

}  // namespace warpclock
