#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "predict/memory/access_pattern.hpp"
#include "predict/memory/memory_level.hpp"
#include "predict/program/costs.hpp"
#include "predict/program/memory_cost.hpp"
#include "predict/program/occupation.hpp"
#include "predict/program/register_use.hpp"

namespace warpclock {

struct SmStreams;

inline constexpr std::size_t scoreboard_count = 6;  ///< of a warp
inline constexpr std::size_t barrier_count = 16;    ///< of a block

/// Batches of warp-group multiplies are waited for like groups of cp.async, with "gsb0" in place of a scoreboard.
inline constexpr std::size_t batches = scoreboard_count, group_count = scoreboard_count + 1;

/// What a step does besides occupying a pipe.
enum class Act : std::uint8_t {
  None,
  Clock,       ///< reads the clock
  Jump,        ///< BRA and the like
  Leave,       ///< ends the warp
  Barrier,     ///< waits for warps of the block
  Arrive,      ///< counts for such a barrier without waiting
  Gather,      ///< waits for the other warps of its warp group
  Copy,        ///< starts an asynchronous copy of the warp's group
  Bulk,        ///< starts a bulk or tensor copy, which arrives at an mbarrier
  Commit,      ///< signals its scoreboard when the copies before it are done
  Await,       ///< waits until a scoreboard has at most `left` signals open
  Multiply,    ///< starts a multiply of the warp group
  LastInBatch  ///< the same, and ends a batch
};

/// How a jump is decided.
/// Share: as often as ProgramStep::taken says.
enum class Decision : std::uint8_t { Never, Always, Trips, LeaveAfter, Share };

/// An issue that must be so many cycles before this one.
struct Older {
  std::size_t step = 0;
  int cycles = 0;
};

/// A way beyond L1 that a step takes.
struct PathStep {
  int unit = 0;  ///< in Program::units
  PathCost cost;
  int asks = -1;   ///< for PathCost::asked
  int holds = -1;  ///< the unit that an atomic access holds while too much is under way
};

/// What the paths of an SM share. See MemoryCosts.
struct MemoryShared {
  double mixed = 0;                  ///< cycles that a byte written to DRAM takes longer if one has been read
  double written_back = 0;           ///< cycles a byte
  double held = 0, held_before = 0;  ///< an SM's part of the bytes that L2 may have to write back, and has at the start
};

/// The lines of constant memory that an instruction reads, whose addresses are in its operands.
struct ConstantReads {
  bool loads = false;  ///< by LDC, through the cache of the SM; else that of the sub-partition
  std::vector<std::uint32_t> lines;
};

/// One instruction as the simulation sees it. Bounds are in cycles.
struct ProgramStep {
  std::size_t index = 0;  ///< in the listing
  int distance = 1;       ///< to the warp's next issue
  bool yield = false;
  int write = -1, read = -1;
  unsigned wait = 0;
  Act act = Act::None;

  int pipe = -1;             ///< in Program::pipes; -1: none
  bool either_half = false;  ///< may use the second half of the pipe too
  Occupation occupied;       ///< besides the pipe
  Bounds busy;               ///< of the pipe
  int unit = -1;             ///< of the SM, in Program::units
  Bounds unit_busy;
  /// Whether its turns of the unit and those in which multiplies of warp groups read do not wait for each other.
  bool writes = false;
  double operand_turns = 0;          ///< of a multiply of a warp group: of Program::operands, for the group
  std::vector<std::uint64_t> pages;  ///< AccessPattern::pages
  std::vector<PathStep> paths;       ///< to further levels of memory, in the order in which they are taken
  Bounds latency;                    ///< to the signal of the write scoreboard
  Bounds read_latency;               ///< to the signal of the read scoreboard
  RegisterUse registers;
  ConstantReads constants;
  int later = 0;  ///< cycles after the stall count allows it, in which no other instruction issues
  std::vector<Older> older;

  int await = -1, left = 0;           ///< Await: the scoreboard or `batches`, and how many may be open
  std::size_t barrier = 0;            ///< Barrier, Arrive: its number
  int barrier_warps = 0;              ///< that it waits for; 0: all
  std::optional<std::size_t> target;  ///< Jump: a step, or nothing if it leaves the program
  Decision decision = Decision::Never;
  /// Of each warp of a block, or of all: Decision::Share: the part that is taken; Decision::Trips,
  /// Decision::LeaveAfter: what part of `trips` it has; empty: all.
  std::vector<double> taken;
  std::int64_t trips = 0;   ///< Decision::Trips, Decision::LeaveAfter
  double byte_latency = 0;  ///< of a bulk copy, whose paths are those of one byte
  bool sleeps = false;      ///< whether it waits for an mbarrier for a while itself
};

/// Why a number is a range.
struct Gap {
  std::string instruction;  ///< its name
  std::string what;         ///< "issue interval", "latency", "when its operands are read"
  auto operator<=>(const Gap&) const = default;
};

/// Straight-line code and loops, ready to be simulated.
struct Program {
  std::vector<ProgramStep> steps;
  std::vector<std::string> pipes;  ///< of each sub-partition
  std::vector<std::string> units;  ///< of the SM
  int operands = -1;               ///< the unit through which multiplies of warp groups read shared memory
  double constant_missed = 0;      ///< cycles until a line of constant memory is there
  MemoryShared memory;
  std::shared_ptr<const SmStreams> streams;                ///< of all steps; nothing: each step says how it is decided
  std::vector<std::pair<std::size_t, std::size_t>> loops;  ///< with streams: the first step of each, and its end
  std::map<Gap, std::vector<std::size_t>> gaps;
  std::vector<std::string> assumed;  ///< sentences
};

struct ProgramOptions {
  std::size_t first = 0, end = 0;                       ///< of the listing; end 0: all of it
  bool begins = true;                                   ///< whether nothing has read the launch's constants before
  std::map<std::size_t, std::int64_t> trips;            ///< by the index of the jump back
  std::map<std::size_t, std::vector<double>> of_warps;  ///< KernelLoop::of_warps, by the same jump
  std::map<std::size_t, MemoryLevel> hits;              ///< by index of the load
  MemoryLevel level = MemoryLevel::L2;                  ///< of all other loads
  std::map<std::size_t, double> parts;                  ///< of the bytes that come from DRAM, where it is not all
  double absent = 1;                                    ///< MemoryAnswer::absent of what DRAM answers
  std::map<std::size_t, AccessPattern> patterns;        ///< by index of the access
  std::map<std::size_t, ConstantUse> constants;  ///< by index of the load; others load what the nearest cache has
  MemoryUse use;
  double held_before = 0;                            ///< bytes that L2 has to write back at the start
  double stored_before = 0;                          ///< PredictOptions::stored_before
  std::map<int, double> stored_apart;                ///< PredictOptions::stored_apart
  std::map<std::size_t, bool> followed;              ///< whether jumps are taken, by index
  std::map<std::size_t, std::vector<double>> taken;  ///< ProgramStep::taken of jumps forward and of ends, by index
  std::set<std::size_t> aside;                       ///< jumps back that go round no loop
  std::shared_ptr<const SmStreams> streams;          ///< what warps do, whatever is said above of jumps
  std::vector<std::pair<std::size_t, std::size_t>> loops;  ///< Program::loops
};

/// Error "predict" if a loop's trips are not known.
[[nodiscard]] Expected<Program> make_program(const Listing& listing, const CostTable& costs,
                                             const ProgramOptions& options);

/// Cycles from a jump that is taken to the next issue of the warp. Source: `baseline/loop` (28 cycles, of which 18 are
/// stall counts of the other instructions) and the loops of one warp of `issue/code`, `issue/constant_rate`,
/// `issue/uniform` and `issue/crossing`: the longer of 10 cycles and its stall count, on both GPUs. `issue/rate`
/// has 11.
inline constexpr int taken_jump = 10;

}  // namespace warpclock
