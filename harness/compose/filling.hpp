#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "code/semantics.hpp"
#include "code/word.hpp"
#include "compose/hole.hpp"

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

/// A word with the plainest control field, and its intended meaning.
struct PlacedWord {
  Word word;
  std::string key;                       ///< key of its form (fields/form_table.hpp)
  Effects effects;                       ///< of an address perhaps not all registers
  bool signals = false;                  ///< a scoreboard signals its result wherever ptxas uses it
  std::optional<std::int64_t> distance;  ///< as of a Copy
};

[[nodiscard]] PlacedWord placed_word(const Copy& copy);

/// The contents of one hole.
struct Filling {
  std::vector<Word> before;  ///< precedes the opening clock read: sets registers
  std::vector<Word> window;
  std::vector<Word> after;         ///< follows the closing clock read: moves results to where they are folded
  std::vector<PlacedWord> placed;  ///< every word of these that is not a no-operation, for the read-back
};

/// The number of no-operations after `before`, on either side of the barrier that follows it, after the closing clock
/// read, and after `after`: the last results arrive meanwhile. A warp continues for a few instructions after a barrier
/// at which it waits (BAR.SYNC.DEFER_BLOCKING). Without no-operations before the opening clock read, some warps read
/// the clock hundreds of cycles before others (seen on an H100).
constexpr std::size_t hole_rest = 4;

/// The word with waits for all scoreboards that `words` set, in addition to its own.
[[nodiscard]] Word waiting_for(Word word, std::span<const Word> words);

/// The number of window words that fit in addition to `before` and `after`.
[[nodiscard]] std::size_t room_for_window(const Hole& hole, const Filling& filling);

/// The image with one filling in each kernel, from the first on. The clock reads enclose the window. After `before`, a
/// barrier waits for all scoreboards that `before` sets and for the other warps, which may take different times for it.
/// The closing clock read waits for all scoreboards that the window sets. The remaining words are no-operations. Error
/// "hole" if a filling does not fit.
[[nodiscard]] Expected<std::string> fill_hole(const Hole& hole, std::span<const Filling> fillings);

}  // namespace warpclock
