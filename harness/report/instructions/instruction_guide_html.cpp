#include <fmt/format.h>

#include "base/escape.hpp"
#include "report/html/html_parts.hpp"
#include "report/instructions/instruction_guide.hpp"
#include "report/instructions/instruction_pages.hpp"

namespace warpclock {
namespace {

std::string line_row(const GuideLine& line, const std::string& name, const std::string& note) {
  const GuideCells cells = guide_cells(line);
  std::string out = "<tr>";
  for (const std::string& cell :
       {name, line.operation, line.id, cells.documented, cells.measured, cells.interval, cells.ratio}) {
    out += element("td", "", cell);
  }
  const std::string css = line.verdict == "below" || line.verdict == "above" ? line.verdict : "";
  return out + element("td", css, cells.verdict) + element("td", "", note) + "</tr>\n";
}

std::string section(const InstructionTable& table, bool alone) {
  const GuideComparison& guide = table.guide;
  const std::string whose = alone ? "" : table.device.name + ": ";
  std::string out =
      fmt::format("<details class=\"guide\"><summary>{}Results per clock and SM, next to the {}: {}</summary>",
                  escape(whose), escape(guide.title), escape(guide_summary(guide)));
  if (guide.lines.empty()) return out + "</details>\n";
  out +=
      "<table class=\"plain\"><thead><tr><th>row</th><th>operation</th><th>counterpart</th><th>guide</th>"
      "<th>measured</th><th>interval</th><th>ratio</th><th>verdict</th><th>note</th></tr></thead><tbody>\n";
  for (const GuideRowLines& row : guide_rows(guide)) {
    std::string name = row.name, note = guide_note(row);
    for (const GuideLine* line : row.lines) {
      out += line_row(*line, name, note);
      name.clear(), note.clear();
    }
  }
  return out + "</tbody></table></details>\n";
}

}  // namespace

std::string html_guide(std::span<const InstructionTable> tables) {
  std::string out;
  for (const InstructionTable& table : tables) {
    if (!table.guide.title.empty()) out += section(table, tables.size() == 1);
  }
  return out;
}

}  // namespace warpclock
