#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "plan/parameters.hpp"
#include "report/numbers/quantity.hpp"

namespace warpclock {

/// Where the cycles are that two kinds of instructions take together.
struct PairSource {
  std::string probe;
  std::string first, second;  ///< parameters that hold the kinds
  std::string cycles;         ///< the estimate
};

/// A probe that hands a turn over and gets it back.
struct HandoffSource {
  std::string within, probe;  ///< "block": between two warps of one
  std::string by;             ///< the mechanism, with {parameter}
};

/// Probes of tiles that are copied from one place in a pipeline.
struct CopySource {
  std::string source;  ///< "L2"
  std::vector<std::string> probes;
  const Quantity *issue = nullptr, *latency = nullptr, *rate = nullptr;
};

struct PipelineSource {
  std::string stages, work;  ///< parameters
  std::string cycles;        ///< the estimate
  Product bytes;             ///< of an SM's tile
  std::string tile;          ///< how a tile is copied and computed, with {parameter}
  std::string alone;         ///< the probe without copies
  std::vector<CopySource> sources;
};

/// What the pictures for those who write kernels are drawn from.
struct KernelDesign {
  PairSource pairs;
  std::vector<HandoffSource> handoffs;
  PipelineSource pipelines;
};

/// Foreign input: error "config" at "file:line:column". Points into `quantities`.
[[nodiscard]] Expected<KernelDesign> parse_kernel_design(const std::string& file, std::string_view text,
                                                         const Quantities& quantities);

/// The one that the program carries.
[[nodiscard]] const Expected<KernelDesign>& known_kernel_design();

}  // namespace warpclock
