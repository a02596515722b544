#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/outline.hpp"
#include "record/record.hpp"

namespace warpclock {

/// Where each element of a matrix was found: in which part of which lane's registers, or of a swizzled box in which 16
/// bytes of which 128 of shared memory.
struct MatrixLayout {
  struct Place {
    int owner = -1;  ///< the lane, or the number of the 128 bytes; -1 where the element was not found
    int part = 0;    ///< through the lane's registers, or the number of the 16 bytes

    bool operator==(const Place&) const = default;
  };

  bool swizzle = false;
  int rows = 0, columns = 0;  ///< of a matrix
  int matrices = 1;           ///< of as many elements each
  int packed = 1;             ///< parts of a register
  std::vector<Place> places;  ///< of each element, matrix by matrix and row by row

  bool operator==(const MatrixLayout&) const = default;
};

/// Whether a probe's places are those of the elements of a matrix.
[[nodiscard]] bool is_matrix(const ProbeRecord& probe);

/// What a kernel with the facts `rows`, `columns` and `packed` wrote to its places: of part p of owner o, at
/// o * parts + p, 1 + the number of its element. Nothing where the probe looks for no layout, or the facts and places
/// do not make one.
[[nodiscard]] std::optional<MatrixLayout> matrix_layout(const ProbeRecord& probe, const CaseRecord& row);

/// Elements of a matrix that are one register, or else each alone.
struct LayoutBlock {
  int height = 1, width = 1;
};
/// A register's elements side by side in the order of its parts, with the same shape for all registers; else 1 x 1.
[[nodiscard]] LayoutBlock layout_block(const MatrixLayout& layout);

/// What stands in the block with that element first: "T17 r2", of one part of several "T17 r2.1"; "L5 u3" of swizzled
/// 16 bytes; a dash where nothing was found.
[[nodiscard]] std::string layout_text(const MatrixLayout& layout, const LayoutBlock& block,
                                      const MatrixLayout::Place& place);

/// "4" or "4–5": `count` rows or columns from `first` on.
[[nodiscard]] std::string layout_range(int first, int count);

/// Cases that found the same.
struct SharedLayout {
  MatrixLayout layout;
  std::vector<const CaseRecord*> rows;
};
/// In the order of the first case of each. Cases whose premises broke are among them.
[[nodiscard]] std::vector<SharedLayout> shared_layouts(const ProbeOutline& probe);

/// What the words in a cell mean, one sentence.
[[nodiscard]] std::string layout_key(bool swizzle);

}  // namespace warpclock
