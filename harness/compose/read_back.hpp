#pragma once

#include <span>
#include <string>
#include <vector>

#include "compose/filling.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// For each word, what the disassembler reads if that is not the intended form or registers. Empty for a word that is
/// read as intended.
[[nodiscard]] std::vector<std::string> misreadings(const Arch& arch, const std::string& nvdisasm,
                                                   std::span<const PlacedWord> words);

}  // namespace warpclock
