#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "model/machine.hpp"
#include "predict/program.hpp"
#include "predict/simulate.hpp"

namespace warpclock {

/// What runs on an SM.
struct Residents {
  int block_warps = 1, blocks = 1;  ///< at once
  std::int64_t all_blocks = 0;      ///< one after the other; 0: as many as at once
};

/// The simulation with the lower bound of each cost and with the upper one. Loops of many trips and many blocks are
/// run for fewer, and the rest follows from the cycles of the last of them.
struct Runs {
  Program program;
  Simulation low, high;
  Bounds cycles, window;
  bool extrapolated = false;
};

[[nodiscard]] Expected<Runs> run_program(Program program, const Machine& machine, const Residents& residents,
                                         std::size_t events);

}  // namespace warpclock
