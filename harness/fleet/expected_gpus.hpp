#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "fleet/observations.hpp"

namespace warpclock {

/// The GPUs that a fleet must have: so many, or exactly these.
struct ExpectedGpus {
  std::optional<std::size_t> count;
  std::vector<std::string> uuids;  ///< sorted, each once
};

/// `given` is a number, or a file with a UUID in each line, among other words or not: `nvidia-smi -L` of all nodes is
/// such a file. Empty lines and lines that begin with # are left out. Errors "usage", "io", "config".
[[nodiscard]] Expected<ExpectedGpus> expected_gpus(const std::string& given);

/// A failure for each GPU that has no record, and for each record of a GPU that is not expected; with a number, one
/// failure if there are fewer or more.
[[nodiscard]] std::vector<FleetFailure> missed(const ExpectedGpus& expected, const Observations& observations);

}  // namespace warpclock
