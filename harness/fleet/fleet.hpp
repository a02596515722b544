#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/sheet/sheet.hpp"
#include "gpu/device/device.hpp"
#include "record/outline.hpp"

namespace warpclock {

struct FleetSeries;
struct Observations;

/// The median: of an even number, the mean of the middle two. 0 for none.
[[nodiscard]] double median_of(std::vector<double> values);

/// A standard deviation that outliers do not change, and how well it is known.
struct RobustSpread {
  double sigma = 0;  ///< consistent with the standard deviation of a normal distribution; 0 if over half are equal
  std::size_t degrees = 0;  ///< degrees of freedom of a standard deviation that is as certain
};

/// Up to 500 values: Qn, a quantile of all pairwise distances (Rousseeuw and Croux, "Alternatives to the Median
/// Absolute Deviation", 1993), with its correction for few values; 82 % as efficient as the standard deviation. More
/// values: the median absolute deviation, 37 % as efficient, which takes linear time. Both withstand outliers up to
/// half of the values.
[[nodiscard]] RobustSpread robust_spread(const std::vector<double>& values, double median);

/// The distance in standard deviations that a value exceeds, on either side, with probability `alpha`, if the standard
/// deviation is known with `degrees` of freedom (Student's t; Abramowitz and Stegun 26.7.3 and 26.7.4). `alpha` is
/// above 1e-13, and `degrees` above 0.
[[nodiscard]] double two_sided_quantile(double alpha, std::size_t degrees);

/// One GPU of a fleet, from all of its records. Indices of GPUs are positions in Fleet::gpus.
struct FleetGpu {
  DeviceFacts device;       ///< of its newest record
  std::string host, date;   ///< of its newest record; the host may be unknown
  std::string folder;       ///< of its newest record, relative to the folder of the fleet
  std::string label;        ///< what people call it: host and number or PCI address, else UUID, else folder
  std::size_t model = 0;    ///< index in Fleet::models
  std::size_t records = 0;  ///< how many there are of it
  std::size_t measured = 0;
  std::vector<std::string> not_measured;  ///< ids of its rejected and failed rows
  std::set<std::string> programs;         ///< the commits of the programs that measured it
  std::size_t throttled = 0;              ///< rows during which the clock was throttled
  std::vector<std::string> throttle;      ///< the reasons
  double sm_mhz = 0;                      ///< median over its rows
  double power_w = 0, temperature_c = 0;  ///< the highest of the run
  GpuEvents events;                       ///< in all of its records
  std::size_t outliers = 0;
};

/// A record that could not be read, or a GPU that could not be measured.
struct FleetFailure {
  std::string path, text;
};

/// One number of one row as a distribution over the GPUs of a model.
struct FleetRow {
  std::string id, estimate, unit;
  EstimateKind kind = EstimateKind::Cycles;
  std::size_t gpus = 0;
  double median = 0, sigma = 0;  ///< sigma: see robust_spread()
  double low = 0, high = 0;      ///< smallest and largest value
  double repeatability = 0;      ///< a smaller distance from the median may be chance, see judge_fleet()
  double threshold = 0;          ///< a larger distance is an outlier; 0 if none is looked for
  double detects = 0;            ///< the deviation, as a share of the median, that is found in 99 of 100 cases
  std::size_t outliers = 0;
  bool varies = false;     ///< its probe says why it may differ between processes
  std::string not_judged;  ///< why no outlier is looked for: too few GPUs, or the row varies
};

struct FleetModel {
  std::string name;   ///< "NVIDIA H200"
  std::string board;  ///< part number, if all GPUs have the same
  std::vector<std::size_t> gpus;
  std::vector<FleetRow> rows;  ///< by id and estimate
  std::size_t tests = 0;       ///< GPU-rows that were compared
};

/// A number of a GPU that is too far from the median of its model.
struct FleetOutlier {
  std::size_t gpu = 0, row = 0;  ///< row: index in FleetModel::rows
  double value = 0;
  double share = 0;         ///< distance from the median as a share of it
  std::optional<double> z;  ///< the distance in sigmas; none if sigma is 0
};

/// A part of a GPU that differs from the other parts of it.
struct PartOutlier {
  std::size_t gpu = 0;
  std::string part;               ///< "SM", "GPC", "L2 line"
  std::size_t index = 0, of = 0;  ///< of how many
  std::string probe;              ///< "memory/sm_map"
  double value = 0, median = 0, z = 0;
};

/// A node whose GPUs together are away from the median.
struct NodeOutlier {
  std::string host;
  std::size_t model = 0, row = 0, gpus = 0;
  double value = 0;  ///< median of its GPUs
  double share = 0, z = 0;
};

/// What the records say of the boards of a model, where it is not the same of all.
struct BoardFact {
  std::size_t model = 0;
  std::string fact;                                        ///< "VBIOS"
  std::map<std::string, std::vector<std::size_t>> values;  ///< GPUs by what they have; empty: the record has nothing
};

/// The rows of a probe in which boards of a model differ: the intervals of the lowest and the highest are apart, and by
/// more than two runs on one GPU may be. Rows whose probe says why they vary are left out.
struct BoardTopic {
  std::size_t model = 0;
  std::string probe;
  std::size_t rows = 0, differing = 0;
  std::string id = {}, estimate = {}, unit = {};  ///< the row that differs most
  double low = 0, high = 0;
  std::size_t lowest = 0, highest = 0;  ///< GPUs
  /// Facts with whose values the boards of that row fall apart: no number of one lies between those of another. Values
  /// of one board alone do not count, and those of a quarter of the boards at most are such.
  std::vector<std::string> goes_with = {};
};

struct Fleet {
  std::string folder;
  std::size_t records = 0;
  std::vector<FleetGpu> gpus;          ///< by model, host, PCI address and UUID
  std::vector<FleetModel> models;      ///< by name
  std::vector<FleetOutlier> outliers;  ///< the furthest first
  std::vector<PartOutlier> parts;
  std::size_t parts_tested = 0;
  std::vector<NodeOutlier> nodes;
  std::size_t nodes_tested = 0;
  std::vector<FleetFailure> failures;
  std::vector<BoardFact> facts;    ///< by model
  std::vector<BoardTopic> topics;  ///< the widest first

  /// Whether every GPU was measured and nothing is away from the rest.
  [[nodiscard]] bool even() const;
};

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

/// Fills in Fleet::facts and Fleet::topics.
void compare_boards(const Observations& observations, Fleet& fleet);

/// How far a value may be from the median of this row; see judge_fleet().
[[nodiscard]] double repeatability_of(const FleetSeries& series, double median, double sigma);

/// What a row of a good fleet is. Sigma is at most the median (1 if that is 0), and repeatability at most the median or
/// 1: with more, a row would let everything pass.
struct BaselineRow {
  std::string id, estimate, unit;
  std::int64_t gpus = 0;
  double median = 0, sigma = 0, repeatability = 0;
};

/// The judged rows of a fleet, by model; see judge_fleet(). Rows of fewer GPUs than it takes to judge them are there
/// too, with no sigma.
struct Baseline {
  std::set<std::string> programs;  ///< the commits of the programs that measured it; empty if that is not known
  std::map<std::string, std::vector<BaselineRow>> models;
};

[[nodiscard]] Baseline baseline_of(const Fleet& fleet);
[[nodiscard]] std::string to_json(const Baseline& baseline);
/// Error "baseline", place = `place`.
[[nodiscard]] Expected<Baseline> parse_baseline(std::string_view text, const std::string& place);

/// Why a GPU does not pass.
struct GateFailure {
  std::size_t gpu = 0;
  std::string id, estimate, unit;
  double value = 0, expected = 0, allowed = 0;  ///< 0 if `text` says why there is no number to compare
  std::string text;
};

struct GateResult {
  std::size_t compared = 0;  ///< GPU-rows
  std::vector<GateFailure> failures;
};

/// Compares each GPU with the baseline. It fails where a number is further from the baseline's median than chance
/// (judge_fleet(), with Student's t for one more value), repeatability (two runs may differ by tolerance_of()) and
/// `within` allow, in either direction; where it has no number for a row of the baseline, or its model is not in the
/// baseline; and where another program measured it, whose numbers may mean something else.
[[nodiscard]] GateResult gate_fleet(const Observations& observations, const Fleet& fleet, const Baseline& baseline,
                                    double within = 0);

/// Whether every GPU of the fleet was measured and is like the baseline.
[[nodiscard]] bool passes(const Fleet& fleet, const GateResult& gate);

/// Each model with its GPUs, outliers first, then nodes, parts of GPUs, and what was not measured. For people long
/// tables are cut, and say of how many; programs get all.
[[nodiscard]] Sheet fleet_sheet(const Fleet& fleet);

/// What differs from a baseline.
[[nodiscard]] Sheet gate_sheet(const Fleet& fleet, const GateResult& gate);

/// Both as one value; the second as its member `gate`. `gate` may be null.
[[nodiscard]] Json fleet_json(const Fleet& fleet, const GateResult* gate);

}  // namespace warpclock
