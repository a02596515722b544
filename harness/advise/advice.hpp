#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/sheet/sheet.hpp"

namespace warpclock {

/// A measured number that an answer uses.
struct UsedNumber {
  std::string name;  ///< the path of a leaf, "transfers/l2.load/latency", or the probe of the row
  double value = 0, low = 0, high = 0;
  std::string unit;
  std::vector<std::string> rows;  ///< ids in the record
  std::string record, gpu, date, commit;
  std::string note;  ///< how it follows from several rows; empty if it is an estimate of one

  bool operator==(const UsedNumber&) const = default;
};

/// Predictions of the model of an answer, compared with the rows that measure the same.
struct ModelCheck {
  std::string of;  ///< "tiles over stages from L2 (async_copy/pipeline*)"
  std::int64_t predictions = 0;
  double mean_absolute = 0;  ///< of prediction / measured - 1
  double furthest = 0;       ///< the largest by magnitude, with its sign
  std::string row;           ///< its row

  bool operator==(const ModelCheck&) const = default;
};

/// A tile's step with a number of stages.
struct StageChoice {
  std::int64_t stages = 0, shared_bytes = 0;
  bool fits = false;             ///< into the shared memory of a block
  std::optional<double> cycles;  ///< of a step, if all terms were measured
  std::optional<double> share;   ///< of the highest throughput of the tensor cores
  std::string limit;             ///< "tensor cores", "latency of the copy", "rate of L2"
};

/// A kernel that was measured, with the tile that was asked for.
struct MeasuredKernel {
  std::string row;  ///< of cases.json
  std::int64_t stages = 0;
  double cycles = 0;
  double share = 0;  ///< of the highest throughput of the tensor cores, start, end and last wave included
};

/// A loop that copies steps of A and B into shared memory by tensor copies and multiplies them by wgmma.
struct PipelineAdvice {
  std::int64_t m = 0, n = 0, k = 0;
  std::string type, from;
  std::string tiles;                 ///< "shared": the SMs of a row and of a column read the same; "own"
  std::string multiply;              ///< the entry of the model: "wgmma.m64n128k16.f32.f16.a_shared"
  std::int64_t multiplies = 0;       ///< of a step
  std::int64_t step_bytes = 0;       ///< of A and B of a step
  std::int64_t warp_groups = 0;      ///< that multiply; one warp of another group copies
  std::int64_t accumulators = 0;     ///< registers of a thread for its part of D
  std::optional<double> tensor;      ///< cycles of the multiplies of a step
  std::optional<double> copy;        ///< cycles until a copy of a step has arrived and its buffer is handed back
  std::optional<double> rate;        ///< cycles of a step's bytes at the rate of an SM while all SMs copy
  std::optional<double> queue;       ///< cycles by which a copy takes longer with load / (1 - load) of the rate
  std::optional<std::int64_t> best;  /// the fewest stages of at most 5 % more cycles than any number that fits
  std::vector<StageChoice> choices;
  std::vector<MeasuredKernel> measured;  ///< with this tile, if tiles are shared
};

/// What reaches a share of the highest rate.
struct RateTarget {
  double share = 0;                          ///< 0.9
  std::optional<std::int64_t> bytes, warps;  ///< of the row with the fewest bytes in flight: of an SM
  std::optional<std::int64_t> loads;         ///< in flight of a thread
  std::optional<double> rate;                ///< of that row, bytes per clock and SM
  std::string row;                           ///< that row
  std::optional<std::int64_t> asked_loads;   ///< of a thread with the asked warps and width, if they suffice
  std::optional<std::int64_t> asked_warps;   ///< the fewest, with `most_loads` of each thread
  std::optional<double> total_bytes;         ///< of a kernel that reaches it in spite of one latency
};

struct BandwidthAdvice {
  std::string level;
  std::int64_t width = 0;                  ///< bytes of a thread's load
  std::optional<std::int64_t> warps;       ///< of an SM, if they were asked
  std::optional<std::int64_t> bytes;       ///< of the kernel, if they were asked
  std::optional<double> latency, rate;     ///< cycles; bytes per clock and SM while all SMs read
  std::optional<std::int64_t> most_loads;  ///< of a thread: rows with more are no faster
  std::optional<double> gigabytes;         ///< per second, of all SMs
  std::optional<double> sm_mhz;            ///< around the row of the rate
  std::optional<double> cycles, reached;   ///< of the asked bytes; share of the rate that is reached with them
  std::vector<RateTarget> targets;
};

/// A layout of rows in shared memory.
struct LayoutChoice {
  std::string layout;           ///< "plain", "padded", "swizzle 32B", ...
  std::string lanes;            ///< which lanes access what: "8 rows", "down a column", "along rows"
  std::int64_t pitch = 0;       ///< bytes from a row to the next
  std::int64_t wavefronts = 0;  ///< of one access of a warp, the most over its columns
  std::int64_t conflicts = 0;   ///< wavefronts beyond the fewest
  bool checked = true;          ///< rows show that hardware lays a box out like this
};

struct SwizzleAdvice {
  std::int64_t row_bytes = 0;
  std::string access;
  std::int64_t fewest = 0;  ///< wavefronts that the bytes of the access need
  std::vector<LayoutChoice> layouts;
};

/// One kind of instruction of a softmax.
struct SoftmaxPart {
  std::string instruction, pipe;
  double each = 0;               ///< of one score
  std::optional<double> cycles;  ///< of a tile, if nothing else ran
  std::optional<double> hidden;  ///< share that is hidden behind wgmma if both take equally long
  std::string row;               ///< that shows what is hidden
};

/// 64 queries of a warp group against `keys` keys: S = QK, exponentials, O = PV.
struct AttentionAdvice {
  std::int64_t head = 0, keys = 0, degree = 0;
  std::string type;
  std::optional<double> tensor;       ///< cycles of both products
  std::optional<double> exponential;  ///< cycles of the exponentials by MUFU.EX2
  std::optional<double> ratio;        ///< exponential / tensor
  std::optional<double> serial;       ///< tensor and softmax one after the other
  /// with what is measured to be hidden; of a part that no row has, all in `low` and nothing in `high`
  std::optional<double> overlapped_low, overlapped_high;
  std::optional<double> both;  ///< exponentials and products alone, with what is measured to be hidden
  std::vector<SoftmaxPart> parts;
  std::optional<double> softmax;            ///< cycles of the busiest pipe or of the issue slots
  std::optional<double> polynomial;         ///< share of the exponentials by a polynomial that makes softmax shortest
  std::optional<double> softmax_balanced;   ///< cycles of softmax with that share
  std::optional<double> polynomial_needed;  ///< share that makes MUFU take as long as the products; 0: none is needed
};

struct OccupancyStep {
  std::string what;  ///< "registers", "shared memory", "registers and shared memory"
  std::int64_t registers = 0, shared_bytes = 0;
  std::int64_t blocks = 0, warps = 0;
};

/// Rates of reading 16 bytes a thread with two numbers of warps.
struct WarpGain {
  std::string level;
  std::int64_t loads = 0;  ///< in flight of a thread
  std::optional<double> now, next;
};

/// The warps of an SM up to which a loop gets faster, if nothing but the chain that it carries and issue slots count.
struct LoopWarps {
  std::int64_t id = 0;
  double chain = 0;  ///< cycles of a trip of one warp: of its carried chain, or of its stall counts
  double issue = 0;  ///< issue slots of a trip
  std::int64_t warps = 0;
};

struct KernelOccupancy {
  std::string name;
  std::int64_t registers = 0, shared_bytes = 0, threads = 0, blocks = 0, warps = 0;
  std::vector<std::string> limits;
  std::optional<OccupancyStep> next;
  std::vector<WarpGain> gains;
  std::vector<LoopWarps> loops;
};

struct OccupancyAdvice {
  std::string file;
  std::vector<KernelOccupancy> kernels;
};

/// An answer of `warpclock advise`. One of the first five is there.
struct Advice {
  std::optional<PipelineAdvice> pipeline;
  std::optional<BandwidthAdvice> bandwidth;
  std::optional<SwizzleAdvice> swizzle;
  std::optional<AttentionAdvice> attention;
  std::optional<OccupancyAdvice> occupancy;
  std::string gpu, arch;
  std::vector<UsedNumber> used;
  std::vector<ModelCheck> checks;
  std::vector<std::string> unknown;  ///< sentences; "not measured: <path>" where a number is missing
};

/// The answer, then the rows that it used, the errors of its model, and what is not known.
[[nodiscard]] Sheet advice_sheet(const Advice& advice);

/// An answer as JSON; advice_schema() describes the text.
[[nodiscard]] std::string to_json(const Advice& advice);
[[nodiscard]] std::string advice_schema();

}  // namespace warpclock
