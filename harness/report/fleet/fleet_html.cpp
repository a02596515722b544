#include "report/fleet/fleet_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "fleet/fleet_text.hpp"
#include "fleet/judge.hpp"
#include "report/fleet/fleet_draw.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_parts.hpp"

namespace warpclock {
namespace {

constexpr std::size_t most_table_rows = 300;

using FleetCells = std::vector<std::string>;

/// FleetCells of text; all that is foreign is escaped here.
std::string fleet_table(const FleetCells& head, const std::vector<FleetCells>& rows) {
  if (rows.empty()) return {};
  std::string text = "<thead><tr>";
  for (const std::string& cell : head) text += element("th", "", cell);
  text += "</tr></thead><tbody>";
  for (std::size_t i = 0; i < std::min(rows.size(), most_table_rows); ++i) {
    text += "<tr>";
    for (const std::string& cell : rows[i]) text += element("td", "", cell);
    text += "</tr>\n";
  }
  std::string more;
  if (rows.size() > most_table_rows)
    more = element("p", "", fmt::format("{} of {}; warpclock fleet --json has all.", most_table_rows, rows.size()));
  return "<div class=\"scrolled\" tabindex=\"0\"><table>" + text + "</tbody></table></div>\n" + more;
}

std::string with_unit(double value, const std::string& unit) {
  return human_number(value, 5) + (unit.empty() || unit == "1" ? "" : " " + unit);
}

std::string sigmas(const FleetOutlier& one) { return one.z ? fmt::format("{:+.1f}", *one.z) : "all others equal"; }

std::string outliers_of(const Fleet& fleet, std::size_t model) {
  std::vector<FleetCells> rows;
  for (const FleetOutlier& one : fleet.outliers) {
    const FleetGpu& gpu = fleet.gpus[one.gpu];
    if (gpu.model != model) continue;
    const FleetRow& row = fleet.models[model].rows[one.row];
    rows.push_back({gpu.label, row.id + " " + row.estimate, with_unit(one.value, row.unit),
                    with_unit(row.median, row.unit), deviation_in_words(one.share), sigmas(one),
                    conditions_in_words(gpu)});
  }
  return fleet_table({"GPU", "row", "value", "median", "deviation", "sigmas", "clock and memory errors"}, rows);
}

std::string distributions_of(const FleetModel& model) {
  std::vector<FleetCells> rows;
  for (const FleetRow* row : rows_by_spread(model))
    rows.push_back({row->id + " " + row->estimate, with_unit(row->median, row->unit),
                    human_number(100 * row->sigma / std::abs(row->median), 2) + " %", human_number(row->low, 5),
                    human_number(row->high, 5),
                    row->not_judged.empty() ? human_number(100 * row->detects, 2) + " %" : row->not_judged,
                    std::to_string(row->outliers)});
  if (rows.empty()) return {};
  return "<details><summary>Distribution of each row</summary>" +
         fleet_table({"row", "median", "sigma", "least", "most", "finds", "outliers"}, rows) + "</details>\n";
}

std::string gpus_of(const Fleet& fleet, const FleetModel& model) {
  std::vector<FleetCells> rows;
  for (const std::size_t index : model.gpus) {
    const FleetGpu& gpu = fleet.gpus[index];
    rows.push_back({gpu.label, gpu.device.serial, gpu.device.pci, gpu.device.driver, gpu.device.vbios,
                    human_number(gpu.sm_mhz, 4), human_number(gpu.power_w, 3), human_number(gpu.temperature_c, 3),
                    throttling_in_words(gpu), gpu.device.ecc, memory_errors_in_words(gpu.device),
                    std::to_string(gpu.measured), std::to_string(gpu.outliers),
                    std::to_string(gpu.not_measured.size())});
  }
  std::ranges::stable_sort(rows, [&](const FleetCells& a, const FleetCells& b) {
    return std::stoul(a[12]) + std::stoul(a[13]) > std::stoul(b[12]) + std::stoul(b[13]);
  });
  return "<details><summary>The GPUs</summary>" +
         fleet_table({"GPU", "serial", "PCI", "driver", "VBIOS", "SM MHz", "most W", "most \u00B0C", "throttling",
                      "ECC", "memory errors", "rows", "outliers", "not measured"},
                     rows) +
         "</details>\n";
}

std::string model_section(const Fleet& fleet, std::size_t index) {
  const FleetModel& model = fleet.models[index];
  std::size_t outliers = 0, gpus = 0;
  for (const std::size_t gpu : model.gpus) {
    outliers += fleet.gpus[gpu].outliers;
    gpus += fleet.gpus[gpu].outliers > 0 ? 1 : 0;
  }
  std::string said = size_in_words(model) + ".";
  if (model.tests > 0)
    said = fmt::format("{} in {}: {} on {}.", counted(static_cast<std::int64_t>(model.tests), "comparison"),
                       size_in_words(model), counted(static_cast<std::int64_t>(outliers), "outlier"),
                       counted(static_cast<std::int64_t>(gpus), "GPU")) +
           " " + found_in_words(model);
  std::string section = "<section>" + element("h2", "", model.name) + element("p", "", said) + draw_map(fleet, model);
  if (outliers > 0) section += "<h3>Outliers</h3>" + outliers_of(fleet, index);
  if (const std::string drawn = draw_rows(fleet, index); !drawn.empty())
    section += "<h3>Rows that differ most between the GPUs</h3>" + drawn;
  return section + distributions_of(model) + gpus_of(fleet, model) + "</section>\n";
}

std::string other_sections(const Fleet& fleet, const GateResult* gate) {
  std::vector<FleetCells> nodes, parts, failures, gated;
  for (const NodeOutlier& one : fleet.nodes) {
    const FleetRow& row = fleet.models[one.model].rows[one.row];
    nodes.push_back({one.host, std::to_string(one.gpus), row.id + " " + row.estimate, with_unit(one.value, row.unit),
                     with_unit(row.median, row.unit), deviation_in_words(one.share)});
  }
  for (const PartOutlier& one : fleet.parts)
    parts.push_back({fleet.gpus[one.gpu].label, fmt::format("{} {}", one.part, one.index), one.probe,
                     human_number(one.value, 5), human_number(one.median, 5), fmt::format("{:+.1f}", one.z)});
  for (const FleetFailure& one : fleet.failures) failures.push_back({one.path, one.text});
  if (gate != nullptr)
    for (const GateFailure& one : gate->failures)
      gated.push_back({fleet.gpus[one.gpu].label, one.id + " " + one.estimate,
                       one.text.empty() ? with_unit(one.value, one.unit) : one.text,
                       one.text.empty() ? with_unit(one.expected, one.unit) : "",
                       one.text.empty() ? with_unit(one.allowed, one.unit) : ""});
  const auto titled = [](const char* title, const std::string& text) {
    return text.empty() ? "" : "<section>" + element("h2", "", title) + text + "</section>\n";
  };
  std::string text = titled("GPUs without a record", fleet_table({"file", "why"}, failures));
  if (gate != nullptr)
    text += titled(
        "Differences from the baseline",
        gated.empty()
            ? element("p", "",
                      fmt::format("None in {}.", counted(static_cast<std::int64_t>(gate->compared), "comparison")))
            : fleet_table({"GPU", "row", "value", "baseline", "allowed distance"}, gated));
  text += titled("Nodes", fleet_table({"node", "GPUs", "row", "median of its GPUs", "median", "deviation"}, nodes));
  return text + titled("Parts of GPUs",
                       fleet_table({"GPU", "part", "probe", "value", "median of the others", "sigmas"}, parts));
}

}  // namespace

std::string render_fleet(const Fleet& fleet, const GateResult* gate) {
  const auto assets = embedded_assets();
  std::string sections;
  for (std::size_t i = 0; i < fleet.models.size(); ++i) sections += model_section(fleet, i);
  const std::string head =
      fmt::format("{}, {}, {}", counted(std::ssize(fleet.gpus), "GPU"), counted(std::ssize(fleet.models), "model"),
                  counted(static_cast<std::int64_t>(fleet.records), "record"));
  const std::string key = fmt::format(
      "A red GPU has an outlier or a row that was rejected or failed; an orange one was throttled or has memory "
      "errors. "
      "An outlier is further from the median of its model than chance explains once in {:.0f} such fleets, and further "
      "than two runs on one GPU differ. In the drawing, a bar covers three sigmas on either side of the median, the "
      "thin "
      "line all values, the marks are the limits, and the dots are outliers.",
      1 / false_alarm);
  return ascii_markup("<!DOCTYPE html>\n<html lang=\"en\">" +
                      html_head("fleet: " + head, assets.at("report.css") + assets.at("fleet.css"), {}) +
                      "<body class=\"fleet\"><main><h1>" + escape(head) + "</h1>" + element("p", "", key) + sections +
                      other_sections(fleet, gate) + "</main></body></html>\n");
}

}  // namespace warpclock
