#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/outline.hpp"
#include "record/record.hpp"

namespace warpclock {

/// Where each element of a matrix was found: in which lane, and in which part of its registers. For a swizzled box: in
/// which 128 bytes of shared memory, and in which 16 of these.
struct MatrixLayout {
  struct Place {
    int owner = -1;  ///< the lane, or the number of the 128 bytes; -1 if the element was not found
    int part = 0;    ///< index in the lane's registers, or the number of the 16 bytes

    bool operator==(const Place&) const = default;
  };

  bool swizzle = false;
  int rows = 0, columns = 0;  ///< of a matrix
  int matrices = 1;           ///< each of as many elements
  int packed = 1;             ///< parts per register
  std::vector<Place> places;  ///< of each element, by matrix and row

  bool operator==(const MatrixLayout&) const = default;
};

/// Whether a probe's places hold the elements of a matrix.
[[nodiscard]] bool is_matrix(const ProbeRecord& probe);

/// The layout that a kernel with the facts `rows`, `columns` and `packed` wrote to its places: place o * parts + p, for
/// part p of owner o, holds 1 + the number of its element. Nothing if the probe looks for no layout, or if the facts
/// and places do not form one.
[[nodiscard]] std::optional<MatrixLayout> matrix_layout(const ProbeRecord& probe, const CaseRecord& row);

/// The elements of a matrix that share a register, or else a single element.
struct LayoutBlock {
  int height = 1, width = 1;
};
/// A register's elements side by side in the order of its parts, if all registers have the same shape; else 1 x 1.
[[nodiscard]] LayoutBlock layout_block(const MatrixLayout& layout);

/// Cases with the same layout.
struct SharedLayout {
  MatrixLayout layout;
  std::vector<const CaseRecord*> rows;
};
/// In the order of the first case of each. Includes cases with broken premises.
[[nodiscard]] std::vector<SharedLayout> shared_layouts(const ProbeOutline& probe);

/// One sentence that explains the text in a cell.
[[nodiscard]] std::string layout_key(bool swizzle);

}  // namespace warpclock
