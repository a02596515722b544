#pragma once

#include <span>
#include <string>
#include <vector>

#include "compose/hole.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// For each word what the disassembler reads in the place of what was meant: another form, or other registers. Empty
/// for a word that is read as it was meant.
[[nodiscard]] std::vector<std::string> misreadings(const Arch& arch, const std::string& nvdisasm,
                                                   std::span<const PlacedWord> words);

}  // namespace warpclock
