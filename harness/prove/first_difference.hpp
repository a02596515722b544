#pragma once

#include <string>

#include "compose/filling.hpp"
#include "compose/hole.hpp"
#include "prove/proof_results.hpp"

namespace warpclock {

/// The first word that the executor computes and the GPU has otherwise, in words: "thread 5 with R20 = 0x3f800000, ...:
/// R12 is 0x1 on the GPU, 0x0 here (1024 words differ)". Empty if there is none. `kept` is the GPU's, after
/// leave_compared().
[[nodiscard]] std::string first_difference(const Hole& hole, const Filling& filling, const std::string& operands,
                                           const std::string& kept, const ExecutedResults& results);

}  // namespace warpclock
