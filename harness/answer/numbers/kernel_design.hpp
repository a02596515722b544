#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "answer/numbers/quantity.hpp"
#include "base/error.hpp"
#include "plan/parameters.hpp"

namespace warpclock {

/// A probe of a hand-off: one thread signals another and waits for the reply.
struct HandoffSource {
  std::string within;  ///< "block": between two warps of one block
  Selector from;
  std::string by;  ///< the mechanism, with {parameter}
};

/// Probes of pipelines whose tiles are copied from the same place.
struct CopySource {
  std::string source;  ///< "L2"
  std::vector<Selector> tiles;
  const Quantity *issue = nullptr, *latency = nullptr, *rate = nullptr;
};

struct PipelineSource {
  std::string stages, work;  ///< parameters
  Product bytes;             ///< bytes of an SM's tile
  std::string tile;          ///< how a tile is copied and computed, with {parameter}
  Selector alone;            ///< of a tile without copies
  std::vector<CopySource> sources;
};

/// The sources of the pictures for authors of kernels.
struct KernelDesign {
  std::vector<HandoffSource> handoffs;
  PipelineSource pipelines;
};

/// The text is foreign input: error "config" at "file:line:column". Points into `quantities`.
[[nodiscard]] Expected<KernelDesign> parse_kernel_design(const std::string& file, std::string_view text,
                                                         const Quantities& quantities);

/// The configuration that the program carries.
[[nodiscard]] const Expected<KernelDesign>& known_kernel_design();

}  // namespace warpclock
