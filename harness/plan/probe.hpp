#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/arch.hpp"
#include "plan/expectation.hpp"
#include "plan/measure.hpp"
#include "plan/parameters.hpp"
#include "plan/tensor.hpp"

namespace warpclock {

/// The architectures that have what a probe measures.
struct Needs {
  int min_sm = 75;         ///< `needs: {min: sm_80}`
  std::vector<Arch> only;  ///< `needs: {only: [sm_90a]}`; empty means all from min_sm on
  std::string why;         ///< shown in skipped rows: "stmatrix is sm_90 and later"
};

/// The values that one parameter takes.
struct Axis {
  std::string name;
  std::vector<Value> values;
};

/// A condition on a sweep point: every named parameter has one of the listed values.
struct Clause {
  std::vector<Axis> any_of;
};

/// What some points of a sweep need besides.
struct NeedsWhen {
  std::vector<Clause> when;
  Needs needs;
  std::vector<NeedsWhen> needs_when;  ///< the first that a point does not have says why it is skipped
};

struct Sweep {
  std::vector<Axis> axes;          ///< cartesian product, first axis slowest
  std::vector<Parameters> points;  ///< explicit rows, each multiplied with the axes (slowest)
  std::vector<Clause> where;       ///< a point is kept if it matches any clause (or there is none)
  std::vector<Clause> except;      ///< a point is dropped if it matches any clause
};

/// How the launches of a batch follow each other in their stream. Graph: as nodes of one CUDA graph, each after the one
/// before. Dependent: each may start once the blocks of the launch before have executed
/// griddepcontrol.launch_dependents (programmatic dependent launch). Cooperative: all blocks of a launch are resident
/// at once.
enum class LaunchBy { Stream, Graph, Cooperative, Dependent };

/// Launch shape before the sweep's values are put in.
struct LaunchSpec {
  Product blocks;             ///< thread blocks; `sms` is a factor for the device's SM count
  Product warps;              ///< warps per block
  Product cluster;            ///< blocks per cluster, 1 for none
  Product shared_bytes;       ///< dynamic shared memory per block; an empty product means 0
  Product carveout;           ///< percent of L1 used as shared memory; an empty product lets the driver decide
  Product persisting;         ///< first bytes of the data under an access policy window; an empty product means none
  Product hit_ratio;          ///< percent of the accesses to them that persist; an empty product means all
  int warmups = 1;            ///< untimed passes through the window in each launch, before the recorded one
  int launches = 31;          ///< recorded launches per repeat count
  std::string by = "stream";  ///< one of launch_by_names(), or a parameter
};

/// The contents of the buffer:
/// - Zeros.
/// - Bits: uniform random words.
/// - Unit: every 16-bit half is a random f16 in [-1, 1), so that the buffer is finite read as f16, bf16, f32 or f64.
/// - Lanes: the u32 word i holds i.
/// - Pointers: a cyclic chain of 64-bit addresses, `stride` apart.
/// - Chase: one cycle through the same addresses in random order.
/// - Indices: the cycle of Chase as 32-bit indices, in units of 4 bytes.
enum class Fill { Zeros, Bits, Unit, Lanes, Pointers, Chase, Indices };

/// The global buffer that a kernel gets as `args.data`.
struct DataSpec {
  Product bytes;                ///< an empty product means 1 MiB
  std::string fill = "unit";    ///< one of fill_names(), or a parameter
  Product stride;               ///< Pointers, Chase, Indices: distance between neighbours in bytes
  bool cold = false;            ///< L2 is swept through another buffer before every launch
  std::string memory = "self";  ///< "peer" for the memory of another GPU; or a parameter
  TensorSpec tensor;            ///< the tensor map that the kernel gets as `args.tensor`
  std::string texel;  ///< texture type that the kernel gets as `args.texture`: "u32", "f32", "u32x4"; empty for none
};

[[nodiscard]] const std::vector<std::string>& memory_names();
[[nodiscard]] const std::vector<std::string>& texel_names();
[[nodiscard]] const std::vector<std::string>& fill_names();       ///< in the order of enum Fill
[[nodiscard]] const std::vector<std::string>& places_names();     ///< in the order of enum Places
[[nodiscard]] const std::vector<std::string>& launch_by_names();  ///< in the order of enum LaunchBy

/// The most that the hardware can do, for some architectures and points. The first that matches is used.
struct LimitSpec {
  std::vector<Arch> archs;   ///< empty: all
  std::vector<Clause> when;  ///< empty: all points
  Limit limit;
};

struct MeasureSpec {
  std::string name;
  Method method = Method::Slope;
  std::string unit;
  Product work;
  std::string source;
  std::string note;
  std::string unsteady;
  std::vector<LimitSpec> limits;
};

/// How a probe's cases are drawn: one chart, the rest a table.
struct Chart {
  std::string x;       ///< parameter on the x axis; empty for no chart
  std::string y;       ///< estimate on the y axis; empty means the first
  std::string series;  ///< parameter that distinguishes the lines, or empty
  bool log_x = false;

  bool operator==(const Chart&) const = default;
};

/// What to look for in the curve that a probe's cases form along its axis.
struct FeatureQuery {
  enum class What {
    Levels,      ///< ranges in which the value stays the same, and where each ends
    Saturation,  ///< the highest plateau, and where the curve reaches 90 and 99 % of it
    Step,        ///< the first place where the value changes for good
    Period,      ///< the distance at which the curve repeats
    Spread,      ///< classes of values, and places that belong to none
    Groups,      ///< places with the same value
    Fragment,    ///< which element of a matrix is in which lane and register; see MatrixLayout
    Swizzle,     ///< which 16 bytes of a box are where in shared memory
  };
  std::string of;  ///< the measure
  What what = What::Levels;
  /// The parameter along which the curve runs: the probe's axis, or any with numeric values; or "places".
  std::string over;
  std::vector<std::string> in_flight;  ///< Saturation: factors whose product is the bytes in flight at a place; or none
  double within = 0;  ///< Levels: points are added until the end of each level is known to this percentage; or 0
  double apart = 0;   ///< Levels: the least difference between two levels in percent; 0: the usual one

  bool operator==(const FeatureQuery&) const = default;
};

/// An expectation that holds for some architectures; the first that matches is used.
struct WindowSpec {
  std::vector<Arch> archs;   ///< empty: all others
  std::vector<Clause> when;  ///< points it is for; empty: all
  Expectation expect;
  std::string label;  ///< shown in the report, e.g. "emulated: F2FP + HMMA"; empty for none
};

/// One question asked of the hardware, as its config states it.
struct Probe {
  std::string family;
  std::string name;
  std::string asks;                 ///< the question, one sentence
  std::string kernel;               ///< path below probes/, "shuffle/shfl.cu"
  std::string place;                ///< file:line:column of its stanza
  std::vector<std::string> suites;  ///< see suite_names()
  Needs needs;
  std::vector<NeedsWhen> needs_when;  ///< the first that a point does not have says why it is skipped
  Sweep sweep;                        ///< the run-time axis, if any, is the last
  std::string along;  ///< name of the axis that is not compiled in: a kernel gets its value as `args.at`; or empty
  std::vector<std::int64_t> repeat;  ///< values of N, ascending; slopes need three
  LaunchSpec launch;
  DataSpec data;
  std::vector<WindowSpec> windows;
  std::vector<MeasureSpec> measures;
  std::vector<std::string> facts;     ///< names of the values the kernel writes with fact(i, v)
  std::vector<std::string> counters;  ///< metric names of configs/counters.yaml
  CountersOf counters_of = CountersOf::Launch;
  std::int64_t counted_blocks = 0;  ///< blocks of the launch whose counters are read; 0 means those of a timed one
  Places places = Places::None;
  std::vector<PremiseRule> premises;                                       ///< text may hold {parameter}
  std::vector<std::pair<std::vector<Clause>, PremiseRule>> premises_when;  ///< premises for some points only
  Chart chart;
  std::vector<FeatureQuery> finds;
  std::string varies;  ///< why its numbers may differ in another process; or empty
  std::string alone;   ///< why no other GPU of the machine may work meanwhile; or empty
};

/// Chips that use other counters for a metric, or none (empty): such a chip cannot count the metric.
/// `chips: [{for: [GB202], counters: [dram__bytes_op_read.sum]}]`
struct ChipCounters {
  std::vector<std::string> chips;  ///< CUPTI's names, "GB202"
  std::vector<std::string> counters;
};

/// A metric of configs/counters.yaml.
struct Metric {
  std::string name;                   ///< "l1_hit_rate"
  std::vector<std::string> counters;  ///< CUPTI metric names
  std::vector<ChipCounters> chips;    ///< exceptions to `counters`
  std::string formula;                ///< "first", "sum", "ratio" (first / second), "percent" (100 * first / second)
  std::string unit;
  std::string text;  ///< how to read it
  std::string place;
};

/// Names that a probe's `suites` may have.
inline const std::vector<std::string>& suite_names() {
  static const std::vector<std::string> names = {"smoke", "full", "memory", "quick", "kernels"};
  return names;
}

/// Everything that a run may do: every probe of every config, and the counter metrics.
struct Suite {
  std::vector<Probe> probes;
  std::vector<Metric> metrics;
};

}  // namespace warpclock
