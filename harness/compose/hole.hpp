#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "build/listing.hpp"
#include "build/word.hpp"

namespace warpclock {

/// A kernel with a hole between its two clock reads, to be filled with words of our own. Before the first read each
/// thread has random numbers in the registers of the quads; behind the last one it folds them to one word, in which a
/// stale read of any of them shows, and stores that under its number (`places`).
struct Hole {
  std::string image;       ///< cubin of this one kernel
  std::size_t code = 0;    ///< where its machine code begins in the image
  std::size_t open = 0;    ///< place of the opening clock read in the code, in words
  std::size_t room = 0;    ///< words up to the closing clock read
  std::vector<int> quads;  ///< the first registers of four in a row
};

/// The PTX of the kernel, with kernel_mark for its name. `room` is how many words the hole has.
[[nodiscard]] std::string hole_source(std::size_t room);

/// What ptxas made of it, read back. Error "hole" when that is not what a hole is; those of code_sections().
[[nodiscard]] Expected<Hole> find_hole(std::string image, const Listing& listing);

/// Words behind the closing clock read that let the last results arrive before they are folded.
constexpr std::size_t hole_rest = 4;

/// The image with these words in the hole and the closing clock read behind them, which waits for all scoreboards that
/// they set. What is left of the hole are no-operations. Error "hole" when there is no room.
[[nodiscard]] Expected<std::string> fill_hole(const Hole& hole, std::span<const Word> words);

}  // namespace warpclock
