#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/elapsed.hpp"
#include "base/error.hpp"
#include "predict/program/fetch_cost.hpp"
#include "predict/program/launch_cost.hpp"
#include "predict/program/memory_cost.hpp"
#include "predict/program/program.hpp"

namespace warpclock {

/// Why a warp issued an instruction later than the one before it would have allowed.
enum class Wait : std::uint8_t { Stall, Scoreboard, Pipe, Unit, Slot, Bank, Barrier, Order, Fetch, Constant };
inline constexpr std::array<const char*, 10> wait_names{
    "stall count",    "scoreboard", "busy pipe",    "full queue",        "other warps",
    "register banks", "barrier",    "older factor", "instruction fetch", "constant cache"};

struct IssueEvent {
  int warp = 0;
  std::size_t step = 0;
  std::int64_t cycle = 0;
  Wait wait = Wait::Stall;
};

/// What a step's issues waited for, over all warps, in cycles.
struct StepWaits {
  std::int64_t issues = 0;
  std::array<double, wait_names.size()> cycles{};
};

/// A simulation that issues more is given up.
inline constexpr std::int64_t most_issues = 10'000'000;

struct SimulationOptions {
  int block_warps = 1, blocks = 1;  ///< on the SM at once
  std::int64_t all_blocks = 0;      ///< that the SM runs one after the other; 0: as many as at once
  std::int64_t all_issues = 0;      ///< after which the simulation ends; 0: when the warps have ended
  std::size_t odd_start = 0;        ///< the step with which every other four warps begin, from the fifth warp on
  bool high = false;                ///< takes the upper bound of each cost
  std::size_t events = 0;           ///< how many issues are kept
  double events_from = 0;           ///< from this cycle on
  double barrier_fixed = 0;         ///< from the last arrival to the next issue
  double barrier_each = 0;          ///< by which arrivals follow each other
  double commit = 0;                ///< from a commit without copies to its signal
  /// From the arrival that ends a phase of an mbarrier to the issue after try_wait and after a loop of test_wait.
  double woken = 0, found = 0;
  LaunchCost launch;
  FetchCost fetch;
  Time::time_point give_up = Time::time_point::max();  ///< when the simulation ends with an error
};

struct Simulation {
  double cycles = 0;              ///< until the last warp has issued its last instruction and what it stores has left
  double drain = 0;               ///< after that, until the GPU has seen all blocks end
  double window = 0;              ///< from the first warp's first clock read to the last warp's last one; 0: none
  std::vector<StepWaits> steps;   ///< one for each step
  std::vector<double> pipe_busy;  ///< cycles of each of Program::pipes, over the four sub-partitions
  std::vector<double> unit_busy;  ///< of each of Program::units
  std::array<std::int64_t, 4> issues{};  ///< of each sub-partition
  double held = 0;                       ///< bytes that L2 still has to write back
  std::vector<IssueEvent> events;
  std::vector<double> trips;  ///< cycles of one of each of Program::loops, see TripTimes
};

/// Runs the warps of one SM. Error "predict" if they wait for each other for ever, or issue too many instructions;
/// "timeout" if it is time to give up.
[[nodiscard]] Expected<Simulation> simulate(const Program& program, const SimulationOptions& options);

}  // namespace warpclock
