#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "compose/hole_layout.hpp"
#include "ptx/experiment/frame.hpp"

namespace warpclock {

/// The names of four registers in PTX.
using FrameWords = std::array<std::string, hole_layout::components>;
[[nodiscard]] FrameWords new_words(Frame& frame);
/// "{w_r0, w_r1, w_r2, w_r3}".
[[nodiscard]] std::string vector_of(const FrameWords& words);

/// A cell of a number of bytes for each thread that holds its own address: one in global memory, where a cell of four
/// bytes holds the lower half, and one in shared memory. The cells of all threads lie one after another, from a
/// multiple of a quad's size on.
struct HoleCell {
  std::string low, high, shared;
};

/// What cells hold instead of their addresses (HoleUse::Operands).
struct CellWords {
  FrameWords global, shared, local;
};

/// Loads them from where the inputs of quads would be that hold addresses.
[[nodiscard]] CellWords load_cell_words(Frame& frame, const std::string& own);

[[nodiscard]] HoleCell put_cell(Frame& frame, std::size_t bytes, std::size_t first,
                                const std::optional<CellWords>& words);

/// Stores the thread's cells in shared memory (1, 2 and 4 words) and its local memory (from the ninth word on) in the
/// place of the quads that hold addresses.
void store_cells(Frame& frame, const std::string& own);

}  // namespace warpclock
