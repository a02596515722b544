#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "code/semantics.hpp"
#include "code/word.hpp"

namespace warpclock {

/// An instruction with registers of a hole. Its control field is not set.
struct Copy {
  std::string key;  ///< key of its form (fields/form_table.hpp); of a branch, its text without the target
  Word word;
  Effects effects;
  bool write_scoreboard = false;
  bool read_scoreboard = false;    ///< a scoreboard signals that its sources have been read
  bool keeps_order = false;        ///< it also waits before it overwrites what is still to be written or read
  std::vector<std::size_t> after;  ///< earlier copies for whose scoreboards it waits
  bool waits_for_all = false;      ///< for every scoreboard, whether it is set or not, as CCTL.IVALL after a fence
  bool no_stall = false;           ///< a stall count of 0, as ERRBAR
  int stall = 1;                   ///< cycles to the next copy; above 15, no-operations follow
  bool yield = false;
  std::optional<std::int64_t> distance;  ///< of a branch: from its address to the target's, in bytes
};

/// ptxas sets the yield hint with a stall count of at least this.
constexpr int yielding_stall = 12;

/// Makes the stall count long enough for the next word to see the scoreboards that it waits for.
void give_time_to_set(Word& word, unsigned wait_mask);

/// The words of the copies in order. Each copy that needs scoreboards gets them, and a copy waits for the scoreboards
/// of what it reads.
[[nodiscard]] std::vector<Word> wired(std::span<const Copy> copies);

}  // namespace warpclock
