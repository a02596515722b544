#pragma once

#include "fleet/observations.hpp"

namespace warpclock {

/// The chance of a single false alarm in all comparisons of one kind of a model, if nothing is wrong: each comparison
/// is made at this, divided by the number of comparisons (Bonferroni).
constexpr double false_alarm = 0.01;
/// With fewer GPUs, the spread between them is not known.
constexpr std::size_t fewest_gpus = 5;

/// The distributions over the GPUs of each model, and what is away from them.
///
/// A value is an outlier if its distance from the median is larger than each of these:
/// - so many robust sigmas (robust_spread()) that chance exceeds it once in `false_alarm` / GPU-rows, by Student's t;
/// - the repeatability of the row: by how much one run may be away from the median of many. Two runs on one GPU may
///   differ by tolerance_of(), and a difference has the square root of two times the deviation of one run. If most GPUs
///   have the very same value, the interval of the estimate counts too, because sigma then says nothing;
/// - `within`, a share of the median.
///
/// Rows whose probe says why they vary between processes are not judged, nor are rows of fewer than `fewest_gpus` GPUs.
/// A node is judged by the median of its GPUs, if it has several and there are at least three nodes. Pure.
[[nodiscard]] Fleet judge_fleet(const Observations& observations, double within = 0);

/// How far a value may be from the median of this row; see judge_fleet().
[[nodiscard]] double repeatability_of(const FleetSeries& series, double median, double sigma);

}  // namespace warpclock
