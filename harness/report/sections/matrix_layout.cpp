#include "report/sections/matrix_layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace warpclock {
namespace {

constexpr int lanes = 32, units_of_line = 8;
bool of_matrix(const FeatureQuery& find) {
  return find.what == FeatureQuery::What::Fragment || find.what == FeatureQuery::What::Swizzle;
}

/// As many as a kernel has places.
constexpr int most_elements = 4096;

/// An integer from 1 to `most`; 0 if the kernel did not report one.
int whole_fact(const CaseRecord& row, const char* name, int most) {
  const auto at = row.facts.find(name);
  if (at == row.facts.end() || !(at->second >= 1) || at->second > most) return 0;
  return at->second == std::floor(at->second) ? static_cast<int>(at->second) : 0;
}

/// The element that a place holds, or -1 if it holds none.
int element_at(double value, int elements) {
  return value >= 1 && value <= elements && value == std::floor(value) ? static_cast<int>(value) - 1 : -1;
}

MatrixLayout::Place at(const MatrixLayout& layout, int matrix, int row, int column) {
  const auto line =
      static_cast<std::size_t>(matrix) * static_cast<std::size_t>(layout.rows) + static_cast<std::size_t>(row);
  return layout.places[line * static_cast<std::size_t>(layout.columns) + static_cast<std::size_t>(column)];
}

/// Whether a block holds the parts of one register, each at the next position of the register.
bool is_register(const MatrixLayout& layout, const LayoutBlock& block, int matrix, int row, int column) {
  const MatrixLayout::Place first = at(layout, matrix, row, column);
  if (first.owner < 0 || first.part % layout.packed != 0) return false;
  for (int i = 0; i < block.height * block.width; ++i) {
    const MatrixLayout::Place place = at(layout, matrix, row + i / block.width, column + i % block.width);
    if (place != MatrixLayout::Place{first.owner, first.part + i}) return false;
  }
  return true;
}

bool fits(const MatrixLayout& layout, const LayoutBlock& block) {
  if (layout.rows % block.height != 0 || layout.columns % block.width != 0) return false;
  for (int matrix = 0; matrix < layout.matrices; ++matrix) {
    for (int row = 0; row < layout.rows; row += block.height) {
      for (int column = 0; column < layout.columns; column += block.width) {
        if (!is_register(layout, block, matrix, row, column)) return false;
      }
    }
  }
  return true;
}

}  // namespace

bool is_matrix(const ProbeRecord& probe) { return std::ranges::any_of(probe.finds, of_matrix); }

std::optional<MatrixLayout> matrix_layout(const ProbeRecord& probe, const CaseRecord& row) {
  const auto find = std::ranges::find_if(probe.finds, of_matrix);
  if (find == probe.finds.end() || row.places.empty()) return std::nullopt;
  MatrixLayout layout;
  layout.swizzle = find->what == FeatureQuery::What::Swizzle;
  layout.rows = whole_fact(row, "rows", most_elements);
  layout.columns = whole_fact(row, "columns", most_elements);
  layout.packed = whole_fact(row, "packed", lanes);
  const int of_one = layout.rows * layout.columns,
            found = static_cast<int>(std::min<std::size_t>(row.places.size(), most_elements));
  if (of_one < 1 || of_one > most_elements || layout.packed < 1) return std::nullopt;
  layout.matrices = (found + of_one - 1) / of_one;
  const int elements = layout.matrices * of_one, owners = layout.swizzle ? elements / units_of_line : lanes;
  if (owners < 1 || elements % owners != 0 || elements > most_elements) return std::nullopt;
  const int parts = elements / owners;
  layout.places.resize(static_cast<std::size_t>(elements));
  for (int place = 0; place < found; ++place) {
    const int element = element_at(row.places[static_cast<std::size_t>(place)], elements);
    if (element >= 0) layout.places[static_cast<std::size_t>(element)] = {place / parts, place % parts};
  }
  return layout;
}

LayoutBlock layout_block(const MatrixLayout& layout) {
  for (const LayoutBlock block : {LayoutBlock{1, layout.packed}, LayoutBlock{layout.packed, 1}}) {
    if (fits(layout, block)) return block;
  }
  return {};
}

std::vector<SharedLayout> shared_layouts(const ProbeOutline& probe) {
  std::vector<SharedLayout> all;
  for (const CaseRecord* row : probe.cases) {
    std::optional<MatrixLayout> layout = matrix_layout(probe.probe, *row);
    if (!layout) continue;
    auto same = std::ranges::find(all, *layout, &SharedLayout::layout);
    if (same == all.end()) same = all.insert(same, SharedLayout{std::move(*layout), {}});
    same->rows.push_back(row);
  }
  return all;
}

std::string layout_key(bool swizzle) {
  return swizzle ? "Rows and columns are of the box, a column 16 bytes. L5 u3: in shared memory they are the 16 bytes "
                   "number 3 of the 128 bytes number 5. Equal u are the same banks, and have one colour."
                 : "Rows and columns are of the matrix. T17 r2: register 2 of lane 17 holds these elements. Four lanes "
                   "share a hue.";
}

}  // namespace warpclock
