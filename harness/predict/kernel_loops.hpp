#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "code/listing.hpp"
#include "inspect/flow_graph.hpp"
#include "inspect/load.hpp"
#include "predict/predict.hpp"

namespace warpclock {

/// KernelLoop::trips_from, of what the user says, and of what is executed.
inline constexpr const char *by_option = "--trips", *by_values = "the values of the launch";

/// A loop and the jump that decides whether it goes on.
struct KernelLoop {
  int id = 0;  ///< as `warpclock inspect` numbers them
  std::size_t header = 0, end = 0;
  std::size_t jump = 0;             ///< back to the header if it is conditional there, else out of the loop, or EXIT
  bool decided = false;             ///< whether such a jump was found
  std::vector<std::size_t> others;  ///< jumps back to the header that would go on without that decision
  int parent = -1;
  std::optional<std::int64_t> trips;
  std::vector<double> of_warps;  ///< of each warp of a block, as a part of `trips`; empty: all have as many
  std::string trips_from;
  bool said = false;  ///< whether the user said the trips, so that the loop is entered
};

/// The loops with the trips that are known, in the order of the flow graph. Error "predict" if trips are given of a
/// loop that is not there.
[[nodiscard]] Expected<std::vector<KernelLoop>> kernel_loops(const LoadedKernel& kernel, const PredictOptions& options);

/// Whether a loop is inside the one with this id.
[[nodiscard]] bool is_inside(const std::vector<KernelLoop>& loops, const KernelLoop& loop, int id);

}  // namespace warpclock
