#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "predict/memory/lane_state.hpp"

namespace warpclock {

/// What an instruction reads in one thread: its sources without their signs, the registers after them, and the
/// predicates at its end.
struct ExactInputs {
  static constexpr std::size_t most = 5;
  std::array<std::uint32_t, most> low{}, high{};
  std::array<bool, 2> carries{};
};

/// The numbers that it leaves in its results, in their order.
using ExactResults = std::array<std::uint32_t, 3>;

/// Whether exact_results() computes it. Carries, upper words of products and shifts, and the steps of an integer
/// division are what the algebra of shared numbers and offsets does not have.
[[nodiscard]] bool is_exact(const LaneOperation& operation);

/// Whether it reads the register after its source `i` as well.
[[nodiscard]] bool reads_pair(const LaneOperation& operation, std::size_t i);

/// The same for all threads.
struct ExactLanes {
  std::array<LaneRef, ExactInputs::most> low, high;
  std::array<LaneRef, 2> carries;
};
[[nodiscard]] std::vector<LaneRef> exact_lanes(const LaneOperation& operation, const ExactLanes& lanes,
                                               std::size_t threads);

/// Of ISETP, if it is one that is known.
[[nodiscard]] std::optional<bool> comparison(const LaneOperation& operation, std::uint32_t a, std::uint32_t b);

[[nodiscard]] ExactResults exact_results(const LaneOperation& operation, const ExactInputs& in);

}  // namespace warpclock
