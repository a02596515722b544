#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/estimate.hpp"
#include "record/record.hpp"
#include "report/numbers/finding.hpp"
#include "report/numbers/kernel_design.hpp"

namespace warpclock {

/// A pipeline of so many stages.
struct PipelinePoint {
  std::int64_t stages = 0;
  const CaseRecord* row = nullptr;
  const Estimate* tile = nullptr;  ///< cycles a tile; null where the case has none
};

/// Tiles of one computation, copied from one place, over the number of stages.
struct Pipeline {
  std::string work;                   ///< "work=64", or the probe where the cases do not say
  std::vector<PipelinePoint> points;  ///< by stages
  double alone = 0;                   ///< cycles of the computation without a copy
  bool alone_measured = false;        ///< by a case without copies; otherwise of the most stages that were measured
  double bytes = 0;                   ///< of a tile
  std::optional<double> issue;        ///< cycles that a warp needs to issue one copy
  std::optional<double> latency;      ///< cycles of one copy
  std::optional<double> rate;         ///< B/clk/SM

  /// Cycles a tile by the model: while the computation of one tile goes on, the copies of `stages` - 1 are under way,
  /// so a tile takes the longest of the computation with the issue of its copy, of the latency over these copies, and
  /// of the bytes over the rate. With one stage a tile is copied, then computed. Nothing where the latency is unknown,
  /// or of no stage.
  [[nodiscard]] std::optional<double> predicted(std::int64_t stages) const;

  /// (model - measured) / measured of a tile; nothing where either is missing.
  [[nodiscard]] std::optional<double> error(const PipelinePoint& point) const;

  /// The fewest stages with which a tile takes at most a twentieth longer than its computation.
  [[nodiscard]] std::optional<std::int64_t> hides() const;
  [[nodiscard]] std::optional<std::int64_t> predicted_to_hide() const;
};

/// All pipelines whose tiles come from one place.
struct Pipelines {
  std::string source;
  std::optional<Finding> issue, latency, rate;
  std::vector<Pipeline> lines;  ///< by the length of the computation
};

/// How far the model's predictions are from what was measured.
struct ModelError {
  std::size_t predictions = 0;
  double sum = 0;                        ///< of the errors without their signs
  double worst = 0;                      ///< the one furthest from zero, with its sign
  const CaseRecord* furthest = nullptr;  ///< its case
};
[[nodiscard]] ModelError model_error(const std::vector<Pipelines>& all);

/// Points into `record`. Pure.
[[nodiscard]] std::vector<Pipelines> pipelines(const PipelineSource& source, const Record& record);

/// "4", "more than 8", "–"
[[nodiscard]] std::string hides_text(const Pipeline& pipeline);
[[nodiscard]] std::string predicted_text(const Pipeline& pipeline);
/// "a copy takes 301.7 cycles (async_copy/latency), and an SM gets 35.7 B/clk (bulk_copy/load_rate)"; empty without a
/// latency.
[[nodiscard]] std::string model_text(const Pipelines& pipelines);
/// "From L2, a copy takes ...; mean absolute error 2.1 % over 27 predictions, the furthest −10.2 % (<case>)." for each
/// place, and one of all.
[[nodiscard]] std::vector<std::string> model_sentences(const std::vector<Pipelines>& all);
/// What a tile is: its bytes, copy width, warps and computation.
[[nodiscard]] std::string tile_text(const PipelineSource& source, const std::vector<Pipelines>& all);

}  // namespace warpclock
