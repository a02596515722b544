#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "plan/arch.hpp"
#include "plan/parameters.hpp"

namespace warpclock {

/// A tensor map over the data buffer, dense, innermost dimension first (PTX ISA, "Tensors"; CUDA Driver API, "Tensor
/// Map Object Management"). The words are those of tensor_words().
struct Tensor {
  std::string type;                ///< element type; empty for no tensor map
  std::vector<std::int64_t> dims;  ///< elements
  std::vector<std::int64_t> box;   ///< elements that one copy moves; empty with im2col
  std::string swizzle = "none", interleave = "none", promotion = "none", oob = "zeros";
  std::vector<std::int64_t> lower, upper;  ///< im2col: corners of the bounding box, spatial dimensions only
  std::int64_t channels = 0, pixels = 0;   ///< im2col: what one copy moves; 0 for a tiled map

  bool operator==(const Tensor&) const = default;
};

/// A tensor map before the sweep's values are put in. A word is one of tensor_words() or a parameter's name.
struct TensorSpec {
  std::string type;
  std::vector<Product> dims, box;
  std::string swizzle = "none", interleave = "none", promotion = "none", oob = "zeros";
  std::vector<std::int64_t> lower, upper;
  Product channels, pixels;
};

struct TensorWords {
  std::vector<std::string> type, swizzle, interleave, promotion, oob;
};

/// The words that a tensor map may use, in the order of the driver's enumerations.
[[nodiscard]] const TensorWords& tensor_words();

/// How the window is known to hold all of the measured work when the closing clock is read.
enum class Close {
  Result,  ///< every last result is consumed by an instruction between the last target and the closing read
  Memory,  ///< a memory wait (DEPBAR after LDGDEPBAR, a barrier try-wait loop, ...) precedes the closing read
  Issue,   ///< the probe asks for issue cost: nothing is waited for, and the row says so
};

/// An opcode other than the target, and how often it occurs in the window.
struct Counted {
  std::string opcode;
  Product count;
};

/// Which registers the target instructions read. ptxas chooses them, and the choice decides how much the register file
/// can read per clock.
struct Operands {
  /// The percentage of the targets that have so many source registers in the fuller of their two banks.
  std::map<int, Range> in_one_bank;
  std::optional<Range> reuse;  ///< `.reuse` flags per 100 targets
};

/// What a probe claims about the machine code between its two clock reads. An opcode pattern is an opcode with a subset
/// of its modifiers: `HMMA.16816.F32` matches `HMMA.16816.F32.BF16` but not `HMMA.1688.F32`. Text fields may hold
/// `{parameter}`; a plan resolves them.
struct Expectation {
  std::vector<std::string> target;    ///< the measured opcode; several if any of them counts (alternatives)
  Product count;                      ///< how often the target occurs in the window; factor `n` is the repeat count
  std::vector<std::string> also;      ///< further opcodes that may occur in the window
  std::vector<std::string> required;  ///< opcodes of `also` that must occur at least once (the probe's other half)
  /// Opcodes of `also` that must occur exactly so often: a compiler that serializes adds waits of the same opcode.
  std::vector<Counted> exactly;
  /// Opcodes that must precede the opening read, in this order: the last occurrence of each before the first of the
  /// next. What prepares the window (a prefetch, then a delay) is part of the claim, because ptxas reorders it too.
  std::vector<std::string> before;
  /// Cycles from the last but one of `before` (the access) to the opening read; the last of `before` makes up the
  /// delay.
  std::optional<Product> delay;
  bool chain = false;          ///< targets form def-use chains through registers
  Product depth;               ///< length of the longest chain; `n` if the config does not say
  std::optional<int> operand;  ///< the chain runs through this source operand of the SASS (0 = first source)
  bool loop = false;           ///< the window may hold a backward branch; `count` is then per static body
  bool calls = false;          ///< the window may call subroutines that return
  Close close = Close::Result;
  std::optional<Operands> operands;
};

/// How samples become a number.
enum class Method {
  Slope,    ///< least squares of cycles over the repeat count; value = slope / divisor
  Rate,     ///< value = work per repeat / slope of cycles over the repeat count
  Elapsed,  ///< median of the window's cycles, at the largest repeat count; value = median / divisor
  /// Median over launches of the rate of the block that takes longest: value = work per repeat x repeats / the cycles
  /// of its window, at the largest repeat count.
  Slowest,
  Fact,     ///< a value that the kernel itself wrote (see `facts`); value = fact / divisor
  Counter,  ///< a metric of configs/counters.yaml; value = metric / divisor
  Last,     ///< mean of the longest of `work` windows, drawn among the launches at the largest repeat count
  /// What a unit of work adds to the energy of the board, by NVML's counter; value = slope over the repeat count of the
  /// energy of a block's window / work, in pJ.
  Energy,
  Power,  ///< mean power of the board at the smallest repeat count
};

/// The most that the hardware can do, in the unit of a measure.
struct Limit {
  double value = 0;  ///< 0 if none is known
  /// The value is per microsecond and SM; it is divided by the SM clock in MHz that is measured around the case. Such a
  /// limit is that of the device's memory. It is 0 in a plan, which knows no device; see with_memory_limits().
  bool per_us = false;
  std::string source;  ///< what the limit is, or who states it
  /// What the limit forbids is no part of an interval. Without it a rate is judged by its whole interval, as in records
  /// of before 2026-11-28.
  bool cuts = false;

  bool operator==(const Limit&) const = default;
};

/// Every unit that an estimate or a metric may have. "1" is a plain ratio.
[[nodiscard]] const std::vector<std::string>& units();

/// One number that a case reports, resolved for its parameters.
struct Measure {
  std::string name;  ///< stable name of the estimate: "latency", "latency.a", "throughput"
  Method method = Method::Slope;
  std::string unit;       ///< one of units()
  std::int64_t work = 1;  ///< Rate, Slowest: units of work per repeat and SM; Last: windows; all others: divisor
  std::string source;     ///< Fact, Counter: name of the fact or metric
  std::string note;       ///< one sentence that a reader needs to interpret the number, or empty
  /// Slope, Rate: why cycles may not grow linearly although the window is right; or empty. Such a row is `unsteady` and
  /// has a range; it is not rejected.
  std::string unsteady;
  std::int64_t warps = 0;  ///< Rate: warps on an SM; 0 if that is not known
  Limit limit;             ///< Rate

  bool operator==(const Measure&) const = default;
};

/// Which launches a case's counters describe. Launch: the launch with the largest repeat count. Step: what that launch
/// adds to the one with the next smaller repeat count. Passes: what many more passes through the window add to it. With
/// Step and Passes, everything before the window cancels. With Passes, the window also outweighs what does not cancel
/// exactly, but every pass does the same work only if the window continues where the previous pass stopped.
enum class CountersOf { Launch, Step, Passes };

/// What is kept for each place (usually an SM) of a launch, in addition to the sample over all places. Clocks: the
/// cycles of its window, which the kernel reported under the place's number. Written: the word that the kernel wrote
/// for it.
enum class Places { None, Clocks, Written };

enum class Relation { Equal, AtLeast, AtMost };

/// What must hold for a case's numbers to be valid. `value` names a fact or a counter metric.
struct PremiseRule {
  std::string text;
  std::string value;
  Relation relation = Relation::Equal;
  double bound = 0;

  bool operator==(const PremiseRule&) const = default;
};

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
  static const std::vector<std::string> names = {"smoke", "full", "memory", "quick", "kernels", "energy"};
  return names;
}

/// Everything that a run may do: every probe of every config, and the counter metrics.
struct Suite {
  std::vector<Probe> probes;
  std::vector<Metric> metrics;
};

template <>
inline constexpr auto enum_words<Method> = std::array<std::string_view, 9>{
    "slope", "rate", "elapsed", "slowest", "fact", "counter", "last", "energy", "power"};
template <>
inline constexpr auto enum_words<Close> = std::array<std::string_view, 3>{"result", "memory", "issue"};
template <>
inline constexpr auto enum_words<CountersOf> = std::array<std::string_view, 3>{"launch", "step", "passes"};
template <>
inline constexpr auto enum_words<Relation> = std::array<std::string_view, 3>{"equal", "at_least", "at_most"};
template <>
inline constexpr auto enum_words<FeatureQuery::What> = std::array<std::string_view, 8>{
    "levels", "saturation", "step", "period", "spread", "groups", "fragment", "swizzle"};

}  // namespace warpclock
