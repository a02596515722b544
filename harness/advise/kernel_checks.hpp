#pragma once

#include <optional>
#include <vector>

#include "advise/advisers.hpp"

namespace warpclock {

/// The model of `advise pipeline`: its costs go to `cite`. Errors of advise_pipeline().
[[nodiscard]] Expected<PipelineAdvice> model_pipeline(Citations& cite, const PipelineQuestion& question);

/// Tiles of bulk copies and wgmma, each SM with its own, by that model: the rows of wgmma/pipeline whose tiles are in
/// L2. Of the others L2 holds a part.
[[nodiscard]] std::optional<ModelCheck> multiplies_check(const AdviceSource& from);

/// Whole kernels that multiply matrices, whose tiles SMs share, by that model: it has neither their start nor their
/// epilogue. Nothing without cases.json.
[[nodiscard]] std::optional<ModelCheck> products_check(const AdviceSource& from);

/// The kernels of cases.json that multiply matrices with this tile.
[[nodiscard]] std::vector<MeasuredKernel> measured_products(const AdviceSource& from, const PipelineAdvice& tile);

/// Whole kernels that read as many bytes from a level, once.
[[nodiscard]] std::optional<ModelCheck> reading_check(const AdviceSource& from, MemoryLevel level);

/// Attention of one warp group, for a head of 64: products and softmax one after the other, by the model of `advise
/// attention`. It has neither the reductions over a row nor the waits for results.
[[nodiscard]] std::optional<ModelCheck> attention_check(const AdviceSource& from);

}  // namespace warpclock
