#include "report/markdown/kernel_markdown.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/files/marked.hpp"
#include "report/markdown/markdown_table.hpp"
#include "report/sections/kernel_cells.hpp"

namespace warpclock {
namespace {

std::string study_text(const KernelStudyRows& study) {
  MarkdownTable out({"case", "#predicted (cycles)", "#measured (cycles)", "#error", "limiter, predicted",
                     "limiter, counted", "agrees"});
  if (study.compared) out.column("library");
  for (const KernelRow* row : study.rows) {
    const KernelCells cells = kernel_cells(*row);
    std::vector<std::string> line = {
        markdown_code(cells.point), markdown_text(cells.predicted),         markdown_text(cells.measured),
        markdown_text(cells.error), markdown_text(cells.predicted_limiter), markdown_text(cells.measured_limiter),
        markdown_text(cells.agrees)};
    if (study.compared) line.push_back(markdown_text(cells.library));
    out.row(std::move(line));
  }
  const std::string says = study.says.empty() ? "" : markdown_text(study.says) + "\n\n";
  return "## " + markdown_text(study.study) + "\n\n" + says + out.text();
}

std::string list(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += "- " + markdown_text(line) + "\n";
  return out.empty() ? out : out + "\n";
}

}  // namespace

std::string render_kernel_markdown(const KernelTable& table) {
  std::string out = fmt::format("{}\n# {}\n\n", markdown_mark, markdown_text(kernel_title(table)));
  out += fmt::format("Costs of {}. {}, commit {}.\n\n", markdown_text(table.model),
                     markdown_text(table.provenance.date.substr(0, 10)),
                     markdown_code(table.provenance.commit.substr(0, 12)));
  out += list(kernel_summary(table)) + markdown_text(kernel_legend(table)) + "\n\n";
  for (const KernelStudyRows& study : studies_of(table)) out += study_text(study);
  const std::string gaps = list(kernel_gaps(table));
  return gaps.empty() ? out : out + "## Without a prediction or a measurement\n\n" + gaps;
}

}  // namespace warpclock
