#pragma once

#include <cstdint>
#include <vector>

#include "base/elapsed.hpp"
#include "base/error.hpp"
#include "code/listing.hpp"
#include "model/machine.hpp"
#include "predict/program/fetch_cost.hpp"
#include "predict/program/launch_cost.hpp"
#include "predict/program/program.hpp"
#include "predict/simulation/simulate.hpp"

namespace warpclock {

/// What runs on an SM.
struct Residents {
  int block_warps = 1, blocks = 1;  ///< at once
  std::int64_t all_blocks = 0;      ///< one after the other; 0: as many as at once
  double issues = 16e6;             ///< of all its simulations together, unless the fewest trips take more
  std::int64_t run_trips = 64;      ///< that are run of a loop with more, at most
  bool shares_alone = false;        ///< if fewer trips are run, cycles are those of one simulation
  LaunchCost launch;
  FetchCost fetch;
  Time::time_point give_up = Time::time_point::max();  ///< see SimulationOptions
};

/// How long each resource was busy, with all trips of all loops, in the cycles of the blocks that were run.
struct ResourceUse {
  double cycles = 0;
  std::vector<double> pipe_busy, unit_busy, issues;  ///< see Simulation
  std::vector<StepWaits> steps;
  double blocks = 1;  ///< that were run
};

/// The simulation with the lower bound of each cost and with the upper one. Loops of many trips and many blocks are
/// run for fewer, and the rest follows from the cycles of the last of them. So many issues are kept as `events` says,
/// from a cycle on.
struct Runs {
  Program program;
  Simulation low, high;
  ResourceUse use;  ///< with the lower bounds
  Bounds cycles, window;
  bool extrapolated = false;
  double begun = 1;            ///< the part of streams that are too long that was run
  std::int64_t run_trips = 0;  ///< see Residents
};

[[nodiscard]] Expected<Runs> run_program(Program program, const Machine& machine, const Residents& residents,
                                         std::size_t events, double events_from = 0);

}  // namespace warpclock
