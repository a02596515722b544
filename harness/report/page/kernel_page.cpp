#include "report/page/kernel_page.hpp"

#include <fmt/format.h>

#include "report/page/page.hpp"
#include "report/page/sheet.hpp"
#include "report/sections/kernel_cells.hpp"

namespace warpclock {
namespace {

Json kernel_row(const KernelRow& row, bool compared) {
  const KernelCells cells = kernel_cells(row);
  Json error = cells.error;
  if (const auto signed_error = error_of(row)) error = {{"text", cells.error}, {"bar", signed_error->middle()}};
  Json out = {cells.point, cells.predicted, cells.measured, error, cells.predicted_limiter, cells.measured_limiter,
              cells.agrees};
  if (compared) out.push_back(cells.library);
  return out;
}

}  // namespace

Json kernel_sheet(const KernelTable& table) {
  Json all = sheet_section("all", "Of all kernels", {kernel_legend(table)});
  all["list"] = kernel_summary(table);
  Json sections = {all};
  for (const KernelStudyRows& study : studies_of(table)) {
    std::vector<std::string> heads = {
        "case", "#predicted|cycles", "#measured|cycles", "#error", "limiter, predicted", "limiter, counted", "agrees"};
    if (study.compared) heads.emplace_back("library");
    Json rows = Json::array();
    for (const KernelRow* row : study.rows) rows.push_back(kernel_row(*row, study.compared));
    Json section = sheet_section("study:" + study.study, study.study);
    if (!study.says.empty()) section["notes"] = {study.says};
    section["tables"].push_back(sheet_table(study.study, heads, rows));
    sections.push_back(std::move(section));
  }
  if (const std::vector<std::string> gaps = kernel_gaps(table); !gaps.empty()) {
    Json section = sheet_section("gaps", "Without a prediction or a measurement");
    section["list"] = gaps;
    sections.push_back(std::move(section));
  }
  return {{"sections", sections}};
}

std::string render_kernel_html(const KernelTable& table, const PagePlace& place) {
  Page page;
  page.kind = "sheet";
  page.title = kernel_title(table);
  page.lead = fmt::format("Costs of {}. {}, commit {}.", table.model, table.provenance.date.substr(0, 10),
                          table.provenance.commit.substr(0, 12));
  page.placeholder = "Search: ldmatrix.x4, cp.async, bank conflict";
  page.extras = kernel_sheet(table);
  page.data = "cases.json.gz";
  page.place = place;
  return render_page(page);
}

}  // namespace warpclock
