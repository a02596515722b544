#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/elapsed.hpp"
#include "base/error.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"
#include "predict/memory/memory_plan.hpp"
#include "predict/predict.hpp"
#include "predict/prediction.hpp"
#include "predict/prepared_kernel.hpp"

namespace warpclock {

/// Which way jumps go that nothing decides: on, or over what comes next.
enum class OpenWay : std::uint8_t { On, Over };

/// What is taken for granted where neither the launch nor the machine code says it.
struct Assumptions {
  MemoryLevel level = MemoryLevel::L2;  ///< that answers accesses to global memory
  bool apart = false;                   ///< MemoryKnown::apart
  OpenWay open = OpenWay::On;
  Time::time_point give_up = Time::time_point::max();  ///< when the simulation has taken too long
};

struct OnePrediction {
  Prediction prediction;
  bool asks_level = false;         ///< whether the level was taken for granted, and there are accesses that it answers
  std::vector<std::size_t> lanes;  ///< accesses whose lanes are not followed
  std::vector<std::size_t> jumps;  ///< jumps that nothing decides, and that warps came to
  std::vector<int> unsized;        ///< arguments, by number, whose sizes would say which level answers
};

/// The prediction with these assumptions. Errors of predict().
[[nodiscard]] Expected<OnePrediction> predict_assuming(const LoadedKernel& kernel, const Machine& machine,
                                                       const PredictOptions& options, const PreparedKernel& prepared,
                                                       const Assumptions& assumptions);

}  // namespace warpclock
