#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/html/html_parts.hpp"
#include "report/numbers/published.hpp"
#include "report/sections/picture.hpp"

namespace warpclock {
namespace {

constexpr double wide = 920, narrow = 352;

/// A row for each published value, grouped by the measured number.
std::string table(const std::vector<PublishedLine>& lines, const std::string& label) {
  std::string rows;
  const PublishedLine* before = nullptr;
  for (const PublishedLine& line : lines) {
    if (before == nullptr || before->says != line.says || before->measured_text != line.measured_text) {
      rows += fmt::format("<tr><th colspan=\"5\" scope=\"rowgroup\">{}: <b>{}</b></th></tr>", escape(line.says),
                          escape(line.measured_text));
    }
    before = &line;
    rows += text_row({line.published_text, line.difference_text, line.published->gpu,
                      line.published->source + ", " + line.published->checked, line.why});
  }
  return scroll_table(label, "published", {"by others", "difference", "on", "source", "why"}, rows);
}

/// The preferred probes of numbers that this record has from others.
std::string preferred_elsewhere(const Picture& picture) {
  std::vector<std::string> texts;
  const auto collect = [&](const std::vector<PictureRow>& rows) {
    for (const PictureRow& row : rows) {
      if (row.found && !row.found->preferred.empty())
        texts.push_back(row.found->preferred + " for " + row.quantity->says);
    }
  };
  for (const PictureLevel& level : picture.levels) {
    for (const PictureBox& box : level.boxes) collect(box.rows);
    collect(level.link);
  }
  return texts.empty() ? "" : " Preferred probes, which another suite has, are: " + join(texts, "; ") + ".";
}

}  // namespace

std::string html_published(const Record& record, const std::string& probe) {
  const auto& known = known_published();
  if (!known) return element("p", "warn", known.error().message());
  std::vector<PublishedLine> lines = published_lines(*known, record, probe);
  if (lines.empty()) return {};
  const std::string label = "published values next to " + (probe.empty() ? "what the driver states" : probe);
  if (lines.size() <= 2) return table(lines, label);
  const auto apart = std::ranges::count_if(lines, [](const PublishedLine& line) { return !line.why.empty(); });
  return fmt::format("<details class=\"others\"><summary>{} published values, {} of them more than 5 % away</summary>",
                     lines.size(), apart == 0 ? "none" : std::to_string(apart)) +
         table(lines, label) + "</details>";
}

std::string html_memory(const PageContext& page) {
  const Expected<Picture>& known = known_picture();
  if (!known) return element("p", "warn", known.error().message());
  const Picture picture = fill(*known, page.record);
  if (!picture.any()) return {};
  return section_head("memory", memory_heading) + "<figure class=\"picture-wide\">" + draw(picture, "mw", wide) +
         "</figure><figure class=\"picture-narrow\">" + draw(picture, "mn", narrow) +
         "</figure><p class=\"note\">Each number leads to the probe that found it. Numbers in thin type "
         "are stated by the driver; \xE2\x80\x9Cnot found\xE2\x80\x9D means that the curve does not show it. A band is "
         "as wide as the rate of its reads. GB/s are of all SMs, at "
         "the clock that was measured around the number." +
         escape(preferred_elsewhere(picture)) + "</p>" + html_published(page.record, "") + "</section>\n";
}

}  // namespace warpclock
