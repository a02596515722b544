#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "answer/markdown/markdown_table.hpp"
#include "answer/overview/overview_sheets.hpp"
#include "base/escape.hpp"
#include "base/files/marked.hpp"
#include "base/json/json_text.hpp"
#include "report/page/pages.hpp"

namespace warpclock {
namespace {

std::string cell_text(const Json& cell) {
  if (cell.is_string()) return markdown_text(cell.get_ref<const std::string&>());
  std::string text = markdown_text(cell.at("text").get_ref<const std::string&>());
  if (cell.contains("href")) text = fmt::format("[{}]({})", text, cell.at("href").get_ref<const std::string&>());
  if (cell.contains("note")) text += " (" + markdown_text(cell.at("note").get_ref<const std::string&>()) + ")";
  return text;
}

std::string table_text(const Json& table) {
  std::vector<std::string> heads;
  for (const std::string head : table.at("heads"))
    heads.push_back((head.starts_with('#') ? "#" : "") + markdown_text(head.substr(head.starts_with('#') ? 1 : 0)));
  MarkdownTable out(heads);
  for (const Json& row : table.at("rows")) {
    std::vector<std::string> cells;
    std::ranges::transform(row, std::back_inserter(cells), cell_text);
    out.row(std::move(cells));
  }
  return out.text();
}

/// A section of a sheet (page/sheet.hpp).
std::string section_text(const Json& section) {
  std::string out = "## " + markdown_text(section.at("title").get_ref<const std::string&>()) + "\n\n";
  for (const std::string note : section.value("notes", Json::array())) out += markdown_text(note) + "\n\n";
  for (const Json& table : section.value("tables", Json::array())) out += table_text(table);
  MarkdownTable facts({"", ""});
  for (const Json& fact : section.value("facts", Json::array())) facts.text_row({fact.at(0), fact.at(1)});
  return out + facts.text();
}

/// The sections that the sheet has of the front tables and of `ids`.
std::string summary_text(const std::string& title, const std::string& says, const Json& sheet,
                         const std::vector<std::string>& ids) {
  std::string out = fmt::format("{}\n# {}\n\n{}\n\n", markdown_mark, markdown_text(title), says);
  for (const Json& section : sheet.at("sections")) {
    const std::string id = section.at("id");
    if (id.starts_with("front") || std::ranges::find(ids, id) != ids.end()) out += section_text(section);
  }
  return out;
}

}  // namespace

std::string render_summary(const std::vector<ReportedGpu>& gpus) {
  std::string each;
  for (const ReportedGpu& gpu : gpus)
    each += fmt::format("{}[{}]({}/README.md)", each.empty() ? " Summaries: " : ", ", markdown_text(gpu.name()),
                        percent_encoded(gpu.folder));
  return summary_text(
      "Measured GPUs",
      "[index.html](index.html) compares the GPUs and leads to all pages. Each GPU has a folder, with a folder in it "
      "for each further suite. `*.json.gz` are the records; all other files are rendered from them. `./bootstrap run` "
      "adds a GPU, and `warpclock report` writes this page." +
          each + (each.empty() ? "" : "."),
      index_sheet(gpus), {"pages"});
}

std::string render_gpu_summary(const ReportedGpu& gpu) {
  return summary_text(gpu.name(),
                      "Every number has machine code that was proven to be what its probe claims; its link leads to "
                      "it. [index.html](index.html) leads to all pages, which show every row with its curve, code, "
                      "samples and conditions. `warpclock show PROBE` prints the rows of a probe.",
                      gpu_sheet(gpu), {"pages", "answers", "device"});
}

}  // namespace warpclock
