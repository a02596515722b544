#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "compose/filling.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// What is wrong with a text that the disassembler prints at an address for a word, in words: it is not the intended
/// form, or has other registers. Empty if nothing is.
[[nodiscard]] std::string misreading(const PlacedWord& placed, std::string_view text, std::uint64_t address);

/// What the disassembler reads.
struct ReadWord {
  std::string text;   ///< empty if it reads nothing
  std::string wrong;  ///< in words, if that is not the intended form or registers
};
[[nodiscard]] std::vector<ReadWord> read_words(const Arch& arch, const std::string& nvdisasm,
                                               std::span<const PlacedWord> words);

/// For each word, what the disassembler reads if that is not the intended form or registers. Empty for a word that is
/// read as intended.
[[nodiscard]] std::vector<std::string> misreadings(const Arch& arch, const std::string& nvdisasm,
                                                   std::span<const PlacedWord> words);

/// Judges the words before, in and after a window by themselves, whatever composed them: each word waits for the
/// scoreboard of every result that it reads. Error "scoreboard", with the word: it reads a result
/// without waiting for it, or reads one for which no scoreboard was set although ptxas always sets one; it waits for a
/// scoreboard that no earlier word sets, or that the word right before sets too late for it to see
/// (`least_scoreboard_distance`).
[[nodiscard]] Expected<void> check_waits(const Filling& filling);

}  // namespace warpclock
