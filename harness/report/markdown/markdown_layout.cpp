#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "report/markdown/markdown_parts.hpp"
#include "report/markdown/markdown_table.hpp"
#include "report/sections/matrix_layout.hpp"

namespace warpclock {
namespace {

/// The matrices one below another, as they are numbered in memory.
std::string table(const MatrixLayout& layout) {
  const LayoutBlock block = layout_block(layout);
  MarkdownTable out({""});
  for (int column = 0; column < layout.columns; column += block.width) out.column(layout_range(column, block.width));
  for (int row = 0; row < layout.matrices * layout.rows; row += block.height) {
    std::vector<std::string> cells = {layout_range(row, block.height)};
    for (int column = 0; column < layout.columns; column += block.width) {
      const auto line = static_cast<std::size_t>(row) * static_cast<std::size_t>(layout.columns);
      cells.push_back(layout_text(layout, block, layout.places[line + static_cast<std::size_t>(column)]));
    }
    out.row(std::move(cells));
  }
  return out.text();
}

}  // namespace

std::string markdown_layouts(const ProbeOutline& probe) {
  std::string out;
  bool swizzle = false;
  for (const SharedLayout& shared : shared_layouts(probe)) {
    swizzle = shared.layout.swizzle;
    std::string ids;
    for (const CaseRecord* row : shared.rows) ids += (ids.empty() ? "" : ", ") + markdown_code(row->id);
    out += ids + ":\n\n" + table(shared.layout);
  }
  return out.empty() ? out : markdown_text(layout_key(swizzle)) + "\n\n" + out;
}

}  // namespace warpclock
