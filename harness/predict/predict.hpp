#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "execute/given_arguments.hpp"
#include "execute/launch.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"
#include "predict/counts.hpp"
#include "predict/memory/memory_level.hpp"
#include "predict/prediction.hpp"

namespace warpclock {

/// Of a loop, each time that it is entered.
inline constexpr std::int64_t most_trips = std::int64_t{1} << 40;

/// A launch as far as it is known.
struct LaunchShape {
  std::array<int, 3> block = {0, 0, 0};  ///< threads along x, y and z; 0: not known
  std::array<int, 3> grid = {0, 0, 0};   ///< blocks
  std::vector<GivenArgument> arguments;
  std::vector<LaunchBuffer> buffers;                 ///< that addresses in the bytes of arguments are of
  std::array<std::uint32_t, 3> cluster = {0, 0, 0};  ///< blocks of a cluster along each axis; 0: what the kernel states

  [[nodiscard]] int threads() const { return block[0] * block[1] * block[2]; }
};

struct PredictOptions {
  std::int64_t blocks = 0;  ///< of the launch; 0: as many as all SMs hold at once
  int threads = 0;          ///< of a block; 0: what the kernel states
  std::int64_t dynamic_bytes = 0;
  std::map<int, std::int64_t> trips;             ///< by the id of the loop
  ExecutedCounts executed;                       ///< of the launch; empty: not known
  LaunchShape shape;                             ///< all 0 along its axes: all threads along x
  std::optional<MemoryLevel> level = {};         ///< that answers accesses to global memory; nothing: not known
  std::string level_from;                        ///< who said so: "--hit"
  bool level_has_room = false;                   ///< whether it answers even what does not fit into it
  std::map<std::int64_t, MemoryLevel> hits;      ///< of single instructions, by address
  std::map<std::int64_t, std::int64_t> strides;  ///< bytes between the lanes of single accesses, by address
  bool cold_code = false;    ///< whether other launches have taken the place of the code in the caches of the SMs
  double held_before = 0;    ///< bytes that L2 has to write back when the launch begins
  double stored_before = 0;  ///< bytes of launches before: L2 writes some of them back for as many that it takes
  /// The part of what is accessed of a buffer that L2 has when the launch begins, by the number of the argument; of
  /// others it has all.
  std::map<int, double> in_l2;
  /// The part of it that a launch before stored, on any SM; of others none.
  std::map<int, double> stored_apart;
  std::vector<std::string> assumed;  ///< by whoever made these options, beside what predict() takes for granted
  GivenArguments given;              ///< by the user, beside those in `shape`
  bool window = false;
  std::size_t timeline = 0;  ///< how many issues are kept
  bool annotate = false;     ///< whether Prediction::instructions are kept
  bool energy = false;       ///< whether Prediction::energy is made
  double limit = 0;          ///< seconds after which the simulation of a kernel is given up; 0: none
};

/// Error "predict" if the launch does not fit, or the code cannot be followed; "timeout" if the limit is reached. Pure
/// without a limit.
[[nodiscard]] Expected<Prediction> predict(const LoadedKernel& kernel, const Machine& machine,
                                           const PredictOptions& options);

}  // namespace warpclock
