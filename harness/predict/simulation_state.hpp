#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "predict/simulate.hpp"

namespace warpclock {

inline constexpr std::size_t warp_scoreboards = 6;
inline constexpr double for_ever = std::numeric_limits<double>::infinity();

/// A warp on its way through the program.
struct WarpState {
  int id = 0, block = 0;
  std::size_t at = 0;
  bool done = false, in_barrier = false;
  double ready = 0;
  std::array<double, warp_scoreboards> released{};
  std::array<std::vector<double>, warp_scoreboards> groups;  ///< when the last commits signal
  double copied = 0;                                         ///< when the copies since the last commit are done
  double last = 0;                                           ///< its last issue
  std::vector<double> issued;                                ///< last issue of each step
  std::vector<std::int64_t> taken;                           ///< of each step
  double opened = -1, closed = -1;

  WarpState(int number, int of_block, std::size_t steps, double now)
      : id(number),
        block(of_block),
        done(steps == 0),
        ready(now),
        last(now),
        issued(steps, -for_ever),
        taken(steps, 0) {}
};

/// What the warps of a sub-partition share.
struct SubPartitionState {
  std::vector<int> warps;  ///< the oldest first
  double slot = 0;         ///< when it may issue again
  std::vector<std::array<double, 2>> pipes;
  std::array<double, port_count> ports{};  ///< when each is free
  std::array<double, 2> banks{};           ///< when the registers that were asked for have been read
  std::vector<std::vector<double>> begun;  ///< by unit: when the last accesses began
  int last = -1, chosen = -1;  ///< the warp that issued, and the one that will
  double issued = -1;          ///< when it did
  bool yielded = false;
};

/// When an instruction may issue, and what it waits for.
struct Earliest {
  double cycle = for_ever;
  Wait wait = Wait::Stall;

  void no_sooner(double other, Wait why) {
    if (other > cycle) cycle = other, wait = why;
  }
};

struct BlockState {
  int arrived = 0, left = 0;  ///< warps at the barrier, and those that ended
  double last = 0;            ///< when the last arrival was taken
};

/// When an instruction was issued, when the pipe or the unit of the SM began with it, and when the last path served it.
struct Served {
  double issued = 0, begun = 0, served = 0;
};

/// Sets when the step's scoreboards and group signal. Its data come when the last path serves it. Its operands are read
/// when the unit begins with it, or not before the last path has room: no row says which for loads and copies. For
/// stores the latter predicts `bandwidth/write`.
void signal(WarpState& warp, const ProgramStep& step, const SimulationOptions& options, const Served& when);

/// Whether the warp takes the jump that it is at, which counts its trips.
[[nodiscard]] bool takes_jump(WarpState& warp, const ProgramStep& step);

}  // namespace warpclock
