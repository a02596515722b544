#include "report/page/fleet_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "fleet/fleet_text.hpp"
#include "fleet/judge.hpp"
#include "report/page/page.hpp"
#include "report/page/sheet.hpp"

namespace warpclock {
namespace {

constexpr std::size_t most_spread_rows = 40;

std::string with_unit(double value, const std::string& unit) {
  return human_number(value, 5) + (unit.empty() || unit == "1" ? "" : " " + unit);
}

std::string_view square_of(const FleetGpu& gpu) {
  if (gpu.outliers > 0 || !gpu.not_measured.empty()) return "bad";
  return conditions_in_words(gpu).empty() ? "good" : "warned";
}

std::string square_title(const FleetGpu& gpu) {
  std::string title = gpu.label;
  if (gpu.outliers > 0) title += fmt::format(", {}", counted(static_cast<std::int64_t>(gpu.outliers), "outlier"));
  if (!gpu.not_measured.empty())
    title += fmt::format(", {} not measured", counted(std::ssize(gpu.not_measured), "row"));
  const std::string conditions = conditions_in_words(gpu);
  return conditions.empty() ? title : title + ", " + conditions;
}

double furthest_share(const FleetRow& row) {
  return row.median == 0 ? 0 : std::max(row.high - row.median, row.median - row.low) / std::abs(row.median);
}

/// Rows with outliers first, then those that differ most.
std::vector<std::size_t> rows_by_spread(const FleetModel& model) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < model.rows.size(); ++i) {
    const FleetRow& row = model.rows[i];
    if (row.gpus > 1 && row.median != 0 && !row.varies) rows.push_back(i);
  }
  std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
    const FleetRow &one = model.rows[a], &other = model.rows[b];
    if ((one.outliers > 0) != (other.outliers > 0)) return one.outliers > 0;
    return furthest_share(one) > furthest_share(other);
  });
  return rows;
}

Json outlier_rows(const Fleet& fleet, std::size_t model) {
  Json rows = Json::array();
  for (const FleetOutlier& one : fleet.outliers) {
    const FleetGpu& gpu = fleet.gpus[one.gpu];
    if (gpu.model != model) continue;
    const FleetRow& row = fleet.models[model].rows[one.row];
    rows.push_back({gpu.label, row.id + " " + row.estimate, with_unit(one.value, row.unit),
                    with_unit(row.median, row.unit), deviation_in_words(one.share),
                    one.z ? fmt::format("{:+.1f}", *one.z) : "all others equal", conditions_in_words(gpu)});
  }
  return rows;
}

/// As shares of the median, with a dot for each outlier.
Json spread_rows(const Fleet& fleet, std::size_t index) {
  const FleetModel& model = fleet.models[index];
  Json out = Json::array();
  for (const std::size_t i : rows_by_spread(model)) {
    if (out.size() == most_spread_rows) break;
    const FleetRow& row = model.rows[i];
    const double size = std::abs(row.median);
    Json dots = Json::array();
    for (const FleetOutlier& one : fleet.outliers) {
      if (one.row == i && fleet.gpus[one.gpu].model == index)
        dots.push_back({one.share, fleet.gpus[one.gpu].label + " " + deviation_in_words(one.share)});
    }
    out.push_back({{"name", row.id + " " + row.estimate},
                   {"low", (row.low - row.median) / size},
                   {"high", (row.high - row.median) / size},
                   {"sigma", row.sigma / size},
                   {"limit", row.threshold / size},
                   {"dots", dots}});
  }
  return out;
}

Json distribution_rows(const FleetModel& model) {
  Json rows = Json::array();
  for (const std::size_t i : rows_by_spread(model)) {
    const FleetRow& row = model.rows[i];
    rows.push_back({row.id + " " + row.estimate, with_unit(row.median, row.unit),
                    human_number(100 * row.sigma / std::abs(row.median), 2) + " %", human_number(row.low, 5),
                    human_number(row.high, 5),
                    row.not_judged.empty() ? human_number(100 * row.detects, 2) + " %" : row.not_judged,
                    std::to_string(row.outliers)});
  }
  return rows;
}

Json gpu_rows(const Fleet& fleet, const FleetModel& model) {
  std::vector<std::size_t> order = model.gpus;
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t i) { return fleet.gpus[i].outliers + fleet.gpus[i].not_measured.size(); });
  Json rows = Json::array();
  for (const std::size_t index : order) {
    const FleetGpu& gpu = fleet.gpus[index];
    rows.push_back({gpu.label, gpu.device.serial, gpu.device.pci, gpu.device.driver, gpu.device.vbios,
                    human_number(gpu.sm_mhz, 4), human_number(gpu.power_w, 3), human_number(gpu.temperature_c, 3),
                    throttling_in_words(gpu), gpu.device.ecc, memory_errors_in_words(gpu.device),
                    std::to_string(gpu.measured), std::to_string(gpu.outliers),
                    std::to_string(gpu.not_measured.size())});
  }
  return rows;
}

Json model_section(const Fleet& fleet, std::size_t index) {
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
  Json section = sheet_section(fmt::format("model-{}", index), model.name, {said});
  for (const std::size_t gpu : model.gpus)
    section["map"].push_back({square_of(fleet.gpus[gpu]), square_title(fleet.gpus[gpu])});
  if (outliers > 0)
    section["tables"].push_back(
        sheet_table("outliers", {"GPU", "row", "#value", "#median", "#deviation", "#sigmas", "clock and memory errors"},
                    outlier_rows(fleet, index)));
  section["spread"] = spread_rows(fleet, index);
  if (Json rows = distribution_rows(model); !rows.empty())
    section["tables"].push_back(sheet_table(
        "distribution of each row", {"row", "#median", "#sigma", "#least", "#most", "#finds", "#outliers"}, rows));
  section["tables"].push_back(
      sheet_table("the GPUs",
                  {"GPU", "serial", "PCI", "driver", "VBIOS", "#SM MHz", "#most W", "#most \u00B0C", "throttling",
                   "ECC", "memory errors", "#rows", "#outliers", "#not measured"},
                  gpu_rows(fleet, model)));
  return section;
}

Json gate_rows(const Fleet& fleet, const GateResult& gate) {
  Json rows = Json::array();
  for (const GateFailure& one : gate.failures) {
    const bool number = one.text.empty();
    rows.push_back({fleet.gpus[one.gpu].label, one.id + " " + one.estimate,
                    number ? with_unit(one.value, one.unit) : one.text, number ? with_unit(one.expected, one.unit) : "",
                    number ? with_unit(one.allowed, one.unit) : ""});
  }
  return rows;
}

/// What is of no model: failures, the baseline, nodes, parts.
void add_others(Json& sections, const Fleet& fleet, const GateResult* gate) {
  Json nodes = Json::array(), parts = Json::array(), failures = Json::array();
  for (const NodeOutlier& one : fleet.nodes) {
    const FleetRow& row = fleet.models[one.model].rows[one.row];
    nodes.push_back({one.host, std::to_string(one.gpus), row.id + " " + row.estimate, with_unit(one.value, row.unit),
                     with_unit(row.median, row.unit), deviation_in_words(one.share)});
  }
  for (const PartOutlier& one : fleet.parts)
    parts.push_back({fleet.gpus[one.gpu].label, fmt::format("{} {}", one.part, one.index), one.probe,
                     human_number(one.value, 5), human_number(one.median, 5), fmt::format("{:+.1f}", one.z)});
  for (const FleetFailure& one : fleet.failures) failures.push_back({one.path, one.text});
  const auto add = [&](const char* id, const char* title, const std::vector<std::string>& heads, Json rows,
                       const std::string& none = "") {
    if (rows.empty() && none.empty()) return;
    Json section = sheet_section(id, title);
    if (rows.empty()) {
      section["notes"] = {none};
    } else {
      section["tables"].push_back(sheet_table(title, heads, std::move(rows)));
    }
    sections.push_back(std::move(section));
  };
  add("failures", "GPUs without a record", {"file", "why"}, failures);
  if (gate != nullptr)
    add("baseline", "Differences from the baseline", {"GPU", "row", "#value", "#baseline", "#allowed distance"},
        gate_rows(fleet, *gate),
        fmt::format("None in {}.", counted(static_cast<std::int64_t>(gate->compared), "comparison")));
  add("nodes", "Nodes", {"node", "#GPUs", "row", "#median of its GPUs", "#median", "#deviation"}, nodes);
  add("parts", "Parts of GPUs", {"GPU", "part", "probe", "#value", "#median of the others", "#sigmas"}, parts);
}

}  // namespace

Json fleet_sheet(const Fleet& fleet, const GateResult* gate) {
  Json sections = Json::array();
  for (std::size_t i = 0; i < fleet.models.size(); ++i) sections.push_back(model_section(fleet, i));
  add_others(sections, fleet, gate);
  return {{"sections", sections}};
}

std::string render_fleet(const Fleet& fleet, const GateResult* gate) {
  Page page;
  page.kind = "fleet";
  page.title =
      fmt::format("{}, {}, {}", counted(std::ssize(fleet.gpus), "GPU"), counted(std::ssize(fleet.models), "model"),
                  counted(static_cast<std::int64_t>(fleet.records), "record"));
  page.lead = fmt::format(
      "A red GPU has an outlier or a row that was rejected or failed; an orange one was throttled or has memory "
      "errors. "
      "An outlier is further from the median of its model than chance explains once in {:.0f} such fleets, and further "
      "than two runs on one GPU differ. In the drawing, a bar covers three sigmas on either side of the median, the "
      "thin "
      "line all values, the marks are the limits, and the dots are outliers.",
      1 / false_alarm);
  page.extras = fleet_sheet(fleet, gate);
  return render_page(page);
}

}  // namespace warpclock
