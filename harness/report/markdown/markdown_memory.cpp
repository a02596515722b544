#include <string>
#include <vector>

#include "report/markdown/markdown_parts.hpp"
#include "report/markdown/markdown_table.hpp"
#include "report/numbers/published.hpp"
#include "report/sections/picture.hpp"

namespace warpclock {
namespace {

void add(MarkdownTable& table, const std::string& where, const std::vector<PictureRow>& rows) {
  for (const PictureRow& row : rows) {
    std::string from;
    if (row.found) from = row.found->probe.empty() ? row.found->from : markdown_code(row.found->probe);
    if (row.found && !row.found->preferred.empty())
      from += "; preferred, in another suite: " + markdown_code(row.found->preferred);
    table.row({markdown_text(where), markdown_text(row.label), markdown_text(row.value),
               row.found ? markdown_text(interval_text(*row.found)) : "", markdown_text(row.more),
               markdown_text(row.quantity->says), from});
  }
}

}  // namespace

std::string markdown_published(const Record& record, const std::string& probe) {
  const auto& known = known_published();
  if (!known) return markdown_text(known.error().message()) + "\n\n";
  MarkdownTable table({"published", "#measured", "#by others", "#difference", "on", "source", "why"});
  for (const PublishedLine& line : published_lines(*known, record, probe)) {
    table.text_row({line.says, line.measured_text, line.published_text, line.difference_text, line.published->gpu,
                    line.published->source + ", " + line.published->checked, line.why});
  }
  return table.text();
}

std::string markdown_memory(const Record& record) {
  const Expected<Picture>& known = known_picture();
  if (!known) return markdown_text(known.error().message()) + "\n\n";
  const Picture picture = fill(*known, record);
  if (!picture.any()) return {};
  MarkdownTable table({"where", "", "#value", "", "all SMs", "of what", "from"});
  for (std::size_t i = 0; i < picture.levels.size(); ++i) {
    const PictureLevel& level = picture.levels[i];
    for (const PictureBox& box : level.boxes) add(table, box.name.empty() ? level.name : box.name, box.rows);
    if (i + 1 < picture.levels.size()) add(table, level.name + " to " + picture.levels[i + 1].name, level.link);
  }
  return "## The memory system\n\n" + table.text() + markdown_published(record, "");
}

}  // namespace warpclock
