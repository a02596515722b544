#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpclock {

/// Cycles of one trip of a loop, of the whole SM with all its warps.
struct LoopPrediction {
  int id = 0;
  std::int64_t begin = 0, end = 0;  ///< addresses: of the header, and of the jump that decides
  std::optional<std::int64_t> trips;
  std::string trips_from;  ///< "--trips", "--counts", "the values of the launch"; empty if they are not known
  bool never_entered = false;
  double low = 0, high = 0;

  bool operator==(const LoopPrediction&) const = default;
};

/// What alone would take so many cycles if everything else were free.
struct LowerBound {
  std::string name;  ///< "issue", "pipe fma", "unit lsu", "L2", "one warp alone"
  double cycles = 0;
  double share = 0;  ///< of the predicted cycles

  bool operator==(const LowerBound&) const = default;
};

/// Where warps wait.
struct InstructionWait {
  std::int64_t address = 0;
  std::string text;
  std::int64_t issues = 0;
  double cycles = 0;  ///< of each issue, beyond the stall count before it
  std::string why;    ///< "scoreboard of 0x0240 LDSM.16.M88.4", "busy pipe", …

  bool operator==(const InstructionWait&) const = default;
};

/// An instruction for which the model has no row, and what it lacks.
struct UnknownCost {
  std::string instruction, what;
  std::vector<std::int64_t> addresses;

  bool operator==(const UnknownCost&) const = default;
};

/// Why a kernel has no number, and what gives it one.
struct MissingNumber {
  std::int64_t address = -1;  ///< of the instruction that it is about; -1: of none
  std::string why, fix;

  bool operator==(const MissingNumber&) const = default;
};

struct TimelineIssue {
  int warp = 0;
  std::int64_t cycle = 0, address = 0;
  std::string instruction;         ///< its name
  std::string pipe;                ///< empty if it needs none
  double busy = 0;                 ///< cycles for which the pipe of the sub-partition takes no other
  std::string why;                 ///< what it waited for
  std::vector<std::string> paths;  ///< "L2", "DRAM": which of them it takes

  bool operator==(const TimelineIssue&) const = default;
};

/// An instruction of the listing, and what the simulation says of it in the whole launch.
struct AnnotatedInstruction {
  std::int64_t address = 0;
  std::string text;
  std::string file;  ///< of its source line; empty if the cubin does not say
  int line = 0;
  double executed = 0;          ///< warp instructions
  double cycles = 0, wait = 0;  ///< of each, since the issue of its warp before; and of these beyond the stall count
  double share = 0;             ///< of the cycles of all warps
  std::string why;              ///< what it waited for longest, beyond the stall count
  /// Of each access to global or local memory, sectors of 32 bytes: that its lanes ask L1 for, that go on to L2, and
  /// of those that DRAM has.
  std::optional<double> l1, l2, dram;

  bool operator==(const AnnotatedInstruction&) const = default;
};

/// What a part of a launch's energy is for: "DRAM", "FFMA".
struct EnergyPart {
  std::string name;
  double joules = 0;

  bool operator==(const EnergyPart&) const = default;
};

/// Of the whole board for the launch.
struct PredictedEnergy {
  double joules = 0;                    ///< with random data; of the lower end of a range of cycles
  double low_j = 0, high_j = 0;         ///< with zeros, and with data and unmeasured instructions that need most
  double seconds = 0;                   ///< the time of the launch
  std::vector<EnergyPart> parts;        ///< of `joules`, the largest first
  std::vector<std::string> unmeasured;  ///< opcodes whose energy no row has
  std::string missing;                  ///< the product of matrices whose energy no row has; then there is no number

  bool operator==(const PredictedEnergy&) const = default;
};

struct Prediction {
  std::string file, kernel, readable, gpu, arch;
  bool window = false;          ///< from the first clock read to the last
  bool launch_assumed = false;  ///< nobody said how many blocks there are: as many as all SMs hold at once
  std::string level;            ///< which level answers accesses to global memory, and who says so; empty without any
  std::int64_t blocks = 1;      ///< of the launch
  int threads = 0, blocks_per_sm = 0, sms = 0;
  double waves = 1;
  std::optional<double> low, high;  ///< cycles of the launch; nothing if `missing` says why
  double drain = 0;  ///< cycles after these, in which no warp runs any more, until the GPU has seen all blocks end
  /// The part of the SM clock that is left while its tensor cores run (tensor_clock()); nothing without rows.
  std::optional<double> clock_part;
  std::optional<double> sm_low, sm_high;  ///< of an SM with all the blocks that it holds
  std::vector<MissingNumber> missing;     ///< then nothing says what limits the kernel or where its warps wait
  std::string limiter;
  std::vector<LowerBound> bounds;  ///< highest first
  std::vector<LoopPrediction> loops;
  std::vector<InstructionWait> waits;  ///< most cycles first
  std::vector<UnknownCost> unknown;    ///< only if they make a difference
  std::vector<std::string> assumed;
  std::vector<TimelineIssue> timeline;
  std::vector<AnnotatedInstruction> instructions;  ///< of the lower end of a range
  std::optional<PredictedEnergy> energy;           ///< nothing if it was not asked for, or no row has it

  bool operator==(const Prediction&) const = default;
};

/// A kernel of a file that could not be predicted; without a name, all kernels of a cubin.
struct FailedPrediction {
  std::string kernel, readable, why;

  bool operator==(const FailedPrediction&) const = default;
};

}  // namespace warpclock
