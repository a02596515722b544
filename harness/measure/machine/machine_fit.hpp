#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyze/fit.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/job/samples.hpp"
#include "measure/machine/machine_plan.hpp"
#include "record/machine_record.hpp"

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
