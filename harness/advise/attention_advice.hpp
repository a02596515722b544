#pragma once

#include <cstdint>
#include <string>

#include "advise/citations.hpp"
#include "base/error.hpp"

namespace warpclock {

struct AttentionQuestion {
  std::int64_t head = 128, keys = 128;
  std::string type = "f16";  ///< of Q, K, V and the probabilities
  std::int64_t degree = 3;   ///< of the polynomial that computes 2^x on FFMA
};

/// Exponentials against products of a tile of 64 queries: what of the softmax hides behind wgmma, and how many
/// exponentials a polynomial would take over. Error "option" if wgmma has no such shape. Pure.
[[nodiscard]] Expected<Advice> advise_attention(const AdviceSource& from, const AttentionQuestion& question);

}  // namespace warpclock
