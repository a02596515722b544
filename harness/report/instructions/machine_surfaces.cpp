#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/escape.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "report/html/html_parts.hpp"
#include "report/html/table_page.hpp"
#include "report/instructions/machine_parts.hpp"

namespace warpclock {
namespace {

using SurfacePlace = std::pair<bool, int>;  // yield; warps

bool is_line(const IssueCell& cell) { return std::isfinite(cell.cycles) && cell.cycles > 0; }

/// The cell with the fewest cycles for each hint and number of warps.
std::map<SurfacePlace, const IssueCell*> best_cells(const MachineRow& row) {
  std::map<SurfacePlace, const IssueCell*> out;
  for (const IssueCell& cell : row.cells) {
    if (!is_line(cell)) continue;
    const IssueCell*& best = out[{cell.yield, cell.warps}];
    if (best == nullptr || cell.cycles < best->cycles) best = &cell;
  }
  return out;
}

std::string surface_cell(const IssueCell* cell, double least) {
  if (cell == nullptr) return "<td></td>";
  return fmt::format("<td class=\"o{}\" title=\"{} warps, stall count {}{}: {} cycles\">{}</td>",
                     heat_shade(cell->cycles, least), cell->warps, cell->stall, cell->yield ? ", yield hint" : "",
                     human_number(cell->cycles, 5), human_number(cell->cycles, 4));
}

std::string surface_row(const MachineRow& row, const std::set<SurfacePlace>& places) {
  const auto cells = best_cells(row);
  double least = 0;
  for (const auto& [place, cell] : cells) least = least == 0 ? cell->cycles : std::min(least, cell->cycles);
  std::string out =
      fmt::format("<tr><th scope=\"row\"><a href=\"#i={}\">{}</a></th>", percent_encoded(row.key), escape(row.text));
  for (const SurfacePlace& place : places) {
    out += surface_cell(value_or(cells, place, nullptr), least);
  }
  return out + "</tr>\n";
}

}  // namespace

int heat_shade(double cycles, double least) {
  constexpr int darkest = 5;
  if (!(least > 0) || !std::isfinite(cycles)) return 0;
  return std::clamp(static_cast<int>(std::floor(darkest * std::log2(std::min(cycles / least, 2.0)) + 0.5)), 0, darkest);
}

std::string html_surfaces(const MachineTable& table, Parts& parts) {
  std::set<SurfacePlace> places;
  std::vector<const MachineRow*> rows;
  for (const MachineRow& row : table.rows) {
    if (!has_surface(row)) continue;
    const auto cells = best_cells(row);
    if (cells.empty()) continue;
    rows.push_back(&row);
    for (const auto& [place, cell] : cells) places.insert(place);
  }
  if (rows.empty()) return {};
  std::string out = "<div class=\"scroll\"><table class=\"surface\"><thead><tr><th>instruction</th>";
  for (const auto& [yield, warps] : places)
    out += fmt::format("<th>{} warp{}{}</th>", warps, warps == 1 ? "" : "s", yield ? ", yield" : "");
  out += "</tr></thead><tbody>\n";
  for (const MachineRow* row : rows) out += surface_row(*row, places);
  return closed_part(
      parts,
      fmt::format("Issue interval over warps and the yield hint: {} instruction{} measured over stall counts",
                  rows.size(), rows.size() == 1 ? "" : "s"),
      "Cycles an instruction and sub-partition at the best stall count; darker is slower than the row's best, up to "
      "twice. Each row opens to all its stall counts.",
      out + "</tbody></table></div>");
}

}  // namespace warpclock
