#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/estimates.hpp"
#include "answer/numbers/quantity.hpp"
#include "base/error.hpp"
#include "plan/parameters.hpp"
#include "record/record.hpp"

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

/// The cost of one hand-off: half of a round trip.
struct Handoff {
  std::string within, by;
  double cycles = 0;         ///< of the shortest case
  double longest = 0;        ///< of the longest case
  const Row* row = nullptr;  ///< the shortest case
  std::size_t cases = 0;
};

struct Handoffs {
  std::vector<Handoff> measured;  ///< in the order of the sources, each from the shortest on
  /// Mechanisms without a measured case, "mbarrier_try, cluster", each with one of its cases.
  std::vector<std::pair<std::string, const Row*>> missing;
};

/// Points into `record`. Pure.
[[nodiscard]] Handoffs handoffs(const std::vector<HandoffSource>& sources, const Record& record);

/// A pipeline with a number of stages.
struct PipelinePoint {
  std::int64_t stages = 0;
  const Row* row = nullptr;
  const Estimate* tile = nullptr;  ///< cycles per tile; null if the case has none
};

/// Tiles of one computation, copied from one place, over the number of stages.
struct Pipeline {
  std::string work;                   ///< "work=64", or the probe if the cases do not say
  std::vector<PipelinePoint> points;  ///< ascending by stages
  double alone = 0;                   ///< cycles of the computation without copies
  bool alone_measured = false;        ///< from a case without copies; else from the most stages measured
  double bytes = 0;                   ///< of one tile
  std::optional<double> issue;        ///< cycles that a warp needs to issue one copy
  std::optional<double> latency;      ///< cycles of one copy
  std::optional<double> rate;         ///< B/clk/SM
  double queue = 0;                   ///< cycles by which the latency grows with load / (1 - load) of the rate

  /// Cycles per tile in the model. While one tile is computed, the copies of `stages` - 1 tiles are in flight. So a
  /// tile takes the maximum of three times: its computation plus the issue of a copy, the latency divided by the number
  /// of copies in flight, and the bytes divided by the rate. With one stage a tile is copied, then computed. With a
  /// queue the second and the third become one: copies wait the longer, the closer their bytes come to the rate.
  /// Nothing if the latency is unknown or there is no stage.
  [[nodiscard]] std::optional<double> predicted(std::int64_t stages) const;

  /// (model - measured) / measured of a tile; nothing if either is missing.
  [[nodiscard]] std::optional<double> error(const PipelinePoint& point) const;

  /// The fewest stages with which a tile takes at most 5 % longer than its computation, by the model.
  [[nodiscard]] std::optional<std::int64_t> predicted_to_hide() const;
};

/// All pipelines whose tiles come from the same place.
struct Pipelines {
  std::string source;
  std::optional<QuantityValue> issue, latency, rate;
  std::vector<Pipeline> lines;  ///< sorted by the length of the computation
};

/// The errors of the model's predictions.
struct ModelError {
  std::size_t predictions = 0;
  double sum = 0;                 ///< sum of the absolute errors
  double worst = 0;               ///< the largest error by magnitude, with its sign
  const Row* furthest = nullptr;  ///< its case
};
[[nodiscard]] ModelError model_error(const std::vector<Pipelines>& all);

/// Points into `record`. Pure.
[[nodiscard]] std::vector<Pipelines> pipelines(const PipelineSource& source, const Record& record);

/// Describes a tile: its bytes, copy width, warps and computation.
[[nodiscard]] std::string tile_text(const PipelineSource& source, const std::vector<Pipelines>& all);

}  // namespace warpclock
