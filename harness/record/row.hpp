#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/estimates.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "code/word.hpp"
#include "gpu/job/samples.hpp"
#include "plan/parameters.hpp"
#include "plan/probe.hpp"
#include "verify/verdict.hpp"

namespace warpclock {

enum class Outcome {
  Measured,
  Unsteady,  ///< cycles do not grow linearly and the probe says that they may not: a range, not a failure
  Rejected,
  Skipped,
  Failed
};

constexpr std::array<Outcome, 5> outcomes = {Outcome::Measured, Outcome::Unsteady, Outcome::Rejected, Outcome::Skipped,
                                             Outcome::Failed};

template <>
inline constexpr auto enum_words<Outcome> =
    std::array<std::string_view, 5>{"measured", "unsteady", "rejected", "skipped", "failed"};

/// Only few probes have rows that may be unsteady, so a count of zero is not worth showing.
[[nodiscard]] constexpr bool worth_telling(Outcome outcome, std::int64_t count) {
  return count > 0 || outcome != Outcome::Unsteady;
}

/// What a row is about.
enum class RowKind {
  Probe,         ///< a case of a probe
  Ptx,           ///< a PTX instruction
  Form,          ///< a machine instruction
  Dependence,    ///< how soon one machine instruction may read the result of another: forms are producer and consumer
  Pair,          ///< two forms that issue in turn, or one with itself
  Bank,          ///< one form, over the banks and the reuse of its source operands
  Fetch,         ///< one form, over the number of instructions in straight-line code
  WithMultiply,  ///< a multiply of a warp group, and another form that follows each multiply `of_each` times
  BetweenWarps,  ///< two forms in different warps of a sub-partition
  Kernel         ///< somebody's kernel, with its prediction
};

template <>
inline constexpr auto enum_words<RowKind> = std::array<std::string_view, 10>{
    "probe", "ptx", "form", "dependence", "pair", "bank", "fetch", "with_wgmma", "between_warps", "kernel"};

struct WindowRecord {
  std::string verdict;                               ///< "verified" or the code of the reason
  std::vector<std::pair<std::string, int>> opcodes;  ///< at the smallest repeat count
  std::string sass_hash;                             ///< over every repeat count's window
  std::optional<double> encoded_cycles;
  std::vector<std::string> sass;  ///< the window at the smallest repeat count, or of the first rejected one; one line
                                  ///< for each instruction
  std::string label;              ///< "emulated: ..." or empty

  [[nodiscard]] bool verified() const { return verdict == verified_code; }
  bool operator==(const WindowRecord&) const = default;
};

struct Reason {
  std::string stage, code, text;

  bool operator==(const Reason&) const = default;
};

/// One series of kernels of a PTX instruction: the window that was timed and its samples.
struct InstructionRun {
  std::string measure;                               ///< "latency.a", "throughput.ilp4"
  std::string verdict;                               ///< "verified" or the code of the reason
  std::string text;                                  ///< why not; empty if verified
  std::string note;                                  ///< what a reader must know about it: work that copies share
  std::string trick;                                 ///< "composed", or "" for copies as the compiler left them
  std::string sass_hash;                             ///< over every repeat count's window
  std::vector<std::pair<std::string, int>> opcodes;  ///< of the window at the smallest repeat count
  std::vector<std::string> sass;                     ///< Latency: one copy from the middle of its window, line by line
  std::optional<double> encoded_cycles;              ///< dependency distance per repeat, if it is encoded
  std::vector<std::pair<std::string, double>> via;  ///< companions on the chain, each with the cycles subtracted for it
  int trips = 1;                                    ///< of the loop in its window; a sample has trips x its copies
  std::map<int, Samples> samples;                   ///< by number of warps

  [[nodiscard]] bool verified() const { return verdict == verified_code; }
  bool operator==(const InstructionRun&) const = default;
};

/// A point of the throughput grid.
struct ThroughputPoint {
  int warps = 0, ilp = 0;
  double rate = 0;  ///< thread results (lanes) per clock and SM; its spread is in the samples

  bool operator==(const ThroughputPoint&) const = default;
};

/// What only the row of a PTX instruction has.
struct InstructionPart {
  std::string section;                ///< section of the PTX ISA
  std::string types;                  ///< "f32", "f16 f32": the type modifiers, for the filter
  std::vector<std::string> became;    ///< SASS opcodes of one instance, in order, with modifiers
  std::vector<std::string> labels;    ///< "emulated: 12 instructions", "calls a subroutine", "rewritten: SHF.L.U32"
  std::vector<std::string> findings;  ///< one sentence each: measured and encoded differ, counts differ, ...
  std::vector<ThroughputPoint> curve;
  std::vector<InstructionRun> runs;

  /// The verified run of its throughput, from which `issue` is too; null without one.
  [[nodiscard]] const InstructionRun* throughput_run() const {
    const auto run = std::ranges::find_if(
        runs, [](const InstructionRun& one) { return one.verified() && one.measure.starts_with("throughput"); });
    return run == runs.end() ? nullptr : &*run;
  }
  bool operator==(const InstructionPart&) const = default;
};

/// How a source operand of a machine instruction was asked. Its numbers are estimates of the row: `latency.<source>`,
/// and of a fixed latency `minimum_stall.<source>`, the least stall count from which on every chain computes the same
/// as with the largest one, and `minimum_stall_among_warps.<source>`, while four warps run on each sub-partition.
struct OperandPath {
  int source = 0;             ///< index of the source operand; 0 is the first
  std::string operand;        ///< as printed: "R5", "[R4.64]"
  std::string through;        ///< the instruction that brings the result to the operand, if any is needed: "SEL"
  double through_cycles = 0;  ///< its stall count, which was subtracted from the latency
  std::vector<int> wrong;     ///< stall counts with which the result differed
  std::string note;           ///< why one of the numbers is missing

  bool operator==(const OperandPath&) const = default;
};

/// Independent chains of each warp in the windows of an issue interval.
constexpr int issue_chains = 4;

/// The time that a warp instruction occupies a sub-partition in a sequence of independent ones.
struct IssueCell {
  int warps = 1;  ///< of the block; of four or more, each sub-partition has a quarter
  int stall = 1;
  bool yield = false;
  std::vector<std::pair<int, double>> curve;  ///< cycles of the window over the number of instructions of each warp
  double cycles = 0, low = 0, high = 0;       ///< per instruction and sub-partition; 0 if the curve is not linear
  std::string note;

  bool operator==(const IssueCell&) const = default;
};

/// What only the row of a machine instruction has, or of several in one window.
struct MachinePart {
  std::string text;  ///< text of the word
  Word word;
  bool scoreboard = false;         ///< whether a scoreboard signals the result
  std::vector<OperandPath> paths;  ///< of a dependence: one, into the consumer
  std::vector<int> of_each;        ///< instructions of each form in one group; empty: one
  int run = 0;                     ///< instructions of one form in a row, where forms issue in turn
  std::vector<int> banks;          ///< the bank of the register that each source operand reads, where it was chosen
  std::vector<int> reuse;          ///< 1: that operand asks the operand reuse cache to keep it
  bool apart = false;              ///< each form has warps of its own: one issues in half of the warps
  bool first_pass = false;         ///< the code runs once, and no cache of the SM has it yet
  std::vector<IssueCell> cells;    ///< cycles of one of each form, or of one group; `interval` is the best of them

  /// Whether the copies of a cell follow each other as soon as they may: after one cycle, or what a barrier needs.
  [[nodiscard]] bool at_once(const IssueCell& cell) const { return cell.stall == cells.front().stall && !cell.yield; }
  bool operator==(const MachinePart&) const = default;
};

/// How much of a resource is used: of the predicted cycles, or by a counter.
struct ResourceShare {
  std::string name;     ///< "issue", "pipe fma", "unit lsu", "L2", "DRAM", "one warp alone"
  std::string counter;  ///< what was counted; empty for a prediction
  double share = 0;     ///< of the most that the resource can do

  bool operator==(const ResourceShare&) const = default;
};

/// What the model says of a kernel before it runs, besides the estimate `predicted`.
struct KernelPrediction {
  std::string refused;               ///< why there is none; empty if there is one
  std::optional<double> clock_part;  ///< of the SM clock, that is left while its tensor cores run; nothing: not known
  std::string limiter;
  std::vector<ResourceShare> bounds;  ///< highest first
  int blocks_per_sm = 0;
  double waves = 0;
  std::vector<std::string> unknown, assumed;

  bool operator==(const KernelPrediction&) const = default;
};

/// A library's call that does the same work, on the same GPU right after the kernel.
struct LibraryCall {
  std::string name, version;    ///< "cuBLAS", "13.1.0"
  std::vector<double> call_us;  ///< of each launch
  std::string missing;          ///< why it was not timed; empty if it was

  bool operator==(const LibraryCall&) const = default;
};

/// What only the row of somebody's kernel has. Its numbers are estimates of the whole launch, which are intervals of
/// medians: `predicted` and `cycles`, whose method is the counter that has them, or "events"; `time` between events,
/// less `empty_time`, the median of an empty kernel; and `library_time`, the same of a library's call, and `cublas`,
/// that in percent of `time`: above 100, the kernel is faster.
struct KernelPart {
  std::string says, source, entry, hash;  ///< what its study says; file, entry, and hash of the machine code
  std::vector<std::int64_t> grid, block;
  std::int64_t shared_bytes = 0;
  bool cold = false;
  bool held_out = false;  ///< not to be looked at while the model is made
  KernelPrediction prediction;
  std::string limiter;                                 ///< by counters; empty without them
  std::vector<ResourceShare> shares;                   ///< by counters, highest first
  std::optional<LibraryCall> library;                  ///< of a measured row whose study names a library's call
  std::vector<double> call_us, empty_us;               ///< of each launch
  std::vector<std::map<std::string, double>> counted;  ///< of each counted launch

  bool operator==(const KernelPart&) const = default;
};

/// What was asked, timed and found.
struct Row {
  std::string id;  ///< "shuffle/latency[...]", "fp32/fma.rn.f32", "@PT FFMA R#, R#, R#, R#" (fields/form_table.hpp),
                   ///< "pairs/FFMA+LDS", "transpose[variant=naive,size=4096]"
  RowKind kind = RowKind::Probe;
  std::string probe;         ///< of which it is a case; of a kernel the study
  std::string family, arch;  ///< "fp32", "sm_90a"
  Parameters parameters;
  Outcome outcome = Outcome::Measured;
  Reason reason;  ///< unless it was measured
  WindowRecord window;
  std::string
      ptx;  ///< the PTX from which the window's SASS was made; of an instruction "fma.rn.f32 {d}, {a}, {b}, {c}"
  std::vector<Measure> measures;
  std::vector<PremiseRule> premise_rules;
  Samples samples;
  std::map<std::string, double> facts;
  std::vector<double> places;  ///< one for each place (usually an SM), 0 if none reported; see Places
  /// Of a probe by the metric of configs/counters.yaml; of a machine instruction what a copy adds to CUPTI metrics, of
  /// several what one turn adds for each warp.
  std::map<std::string, double> counters;
  std::string counters_missing;
  /// Of a PTX instruction: latency.<operand> (cycles), throughput (1/clk/SM, at the plateau), interval (cycles per warp
  /// instruction and scheduler), saturation (warps x ilp of the smallest point at 95 % of the plateau),
  /// encoded.<operand>, or encoded for all operands of a form; of copies for which ptxas alternates between forms,
  /// mixture.throughput and mixture.interval. Of machine instructions those of OperandPath; `encoded`, the fewest
  /// cycles that ptxas leaves before the result is read (fields/form.hpp); and `interval`, cycles between two on one
  /// sub-partition, with many warps, or of one of each form, or of one group. Of kernels those of KernelPart.
  std::vector<Estimate> estimates;
  std::vector<Premise> premises;
  ClockReading clock;
  /// Keys of forms: those that a PTX instruction becomes, if it becomes one machine instruction, whose row has these
  /// numbers, and of those that ptxas uses as well for several copies; those of which a window has copies.
  std::vector<std::string> forms;
  std::vector<std::string> pipes;  ///< pipes on which an instruction executes, from counters: "fma", "alu"
  InstructionPart instruction;
  MachinePart machine;
  KernelPart kernel;

  bool operator==(const Row&) const = default;
};

/// Its estimate of that name, whatever its outcome; null if there is none.
[[nodiscard]] inline const Estimate* estimate_in(const Row& row, std::string_view name) {
  return find_by(row.estimates, name, &Estimate::name);
}

/// The same of a measured row.
[[nodiscard]] inline const Estimate* published(const Row& row, std::string_view name) {
  return row.outcome == Outcome::Measured ? estimate_in(row, name) : nullptr;
}

}  // namespace warpclock
