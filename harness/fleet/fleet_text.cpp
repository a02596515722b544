#include "fleet/fleet_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "fleet/judge.hpp"

namespace warpclock {
namespace {

constexpr std::size_t most_lines = 20;

/// A line for each of the first elements, and how many more there are.
template <class List, class Line>
std::string listed(const List& list, const Line& line) {
  std::string text;
  for (std::size_t i = 0; i < std::min(list.size(), most_lines); ++i) text += "  " + line(list[i]) + "\n";
  if (list.size() > most_lines)
    text += fmt::format("  and {} more: --json and --page have all\n", list.size() - most_lines);
  return text;
}

std::string number(double value, const std::string& unit) {
  return human_number(value, 5) + (unit.empty() || unit == "1" ? "" : " " + unit);
}

std::string outlier_line(const Fleet& fleet, const FleetOutlier& one) {
  const FleetGpu& gpu = fleet.gpus[one.gpu];
  const FleetRow& row = fleet.models[gpu.model].rows[one.row];
  const std::string conditions = conditions_in_words(gpu);
  return fmt::format("{}  {} {}: {}, median {} ({}{}){}", gpu.label, row.id, row.estimate, number(one.value, row.unit),
                     number(row.median, row.unit), deviation_in_words(one.share),
                     one.z ? fmt::format(", {:.1f} sigma", *one.z) : "", conditions.empty() ? "" : "; " + conditions);
}

std::string part_line(const Fleet& fleet, const PartOutlier& one) {
  return fmt::format("{}  {} {} in {}: {}, median of {} {} ({:+.1f} sigma)", fleet.gpus[one.gpu].label, one.part,
                     one.index, one.probe, human_number(one.value, 5), one.of, human_number(one.median, 5), one.z);
}

std::string node_line(const Fleet& fleet, const NodeOutlier& one) {
  const FleetRow& row = fleet.models[one.model].rows[one.row];
  return fmt::format("{}  {} {}: {} over its {} GPUs, median {} ({})", one.host, row.id, row.estimate,
                     number(one.value, row.unit), one.gpus, number(row.median, row.unit),
                     deviation_in_words(one.share));
}

/// The rows with the largest spread that are judged or have several GPUs.
std::vector<const FleetRow*> widest(const FleetModel& model) {
  std::vector<const FleetRow*> rows;
  for (const FleetRow& row : model.rows)
    if (row.gpus > 1 && row.median != 0 && !row.varies) rows.push_back(&row);
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const FleetRow* row) { return (row->high - row->low) / std::abs(row->median); });
  if (rows.size() > most_lines / 2) rows.resize(most_lines / 2);
  return rows;
}

std::string row_line(const FleetRow& row) {
  return fmt::format("{} {}: median {}, sigma {:.2f} %, {} to {}{}", row.id, row.estimate, number(row.median, row.unit),
                     100 * row.sigma / std::abs(row.median), human_number(row.low, 5), number(row.high, row.unit),
                     row.detects > 0 ? fmt::format(", finds {:.2g} %", 100 * row.detects) : "");
}

std::string model_text(const Fleet& fleet, std::size_t index, const Style& style) {
  const FleetModel& model = fleet.models[index];
  std::string text = fmt::format("{}: {}{}, {} rows\n", style.bold(model.name), size_in_words(model),
                                 model.board.empty() ? "" : ", board " + model.board, model.rows.size());
  std::vector<FleetOutlier> outliers;
  std::ranges::copy_if(fleet.outliers, std::back_inserter(outliers),
                       [&](const FleetOutlier& one) { return fleet.gpus[one.gpu].model == index; });
  if (model.tests > 0)
    text += fmt::format("{} of {} compared\n",
                        outliers.empty() ? "no outlier" : style.red(counted(std::ssize(outliers), "outlier")),
                        counted(static_cast<std::int64_t>(model.tests), "GPU-row"));
  text += listed(outliers, [&](const FleetOutlier& one) { return outlier_line(fleet, one); });
  if (model.tests > 0) text += found_in_words(model) + "\n";
  const auto wide = widest(model);
  if (!wide.empty()) text += "rows that differ most between GPUs:\n";
  return text + listed(wide, [](const FleetRow* row) { return row_line(*row); });
}

}  // namespace

std::string size_in_words(const FleetModel& model) {
  if (model.gpus.size() == 1) return "one GPU: there is nothing to compare it with, so it has no outliers";
  std::string count = counted(std::ssize(model.gpus), "GPU");
  if (model.gpus.size() >= fewest_gpus) return count;
  return fmt::format("{}: too few to look for outliers ({} are needed)", count, fewest_gpus);
}

std::string found_in_words(const FleetModel& model) {
  constexpr double share = 0.02;
  const auto judged = std::ranges::count_if(model.rows, [](const FleetRow& row) { return row.not_judged.empty(); });
  const auto able = std::ranges::count_if(model.rows, [](const FleetRow& row) {
    return row.not_judged.empty() && row.detects > 0 && row.detects <= share;
  });
  return fmt::format("{} of {} find a deviation of 2 % in 99 of 100 cases{}.", able, counted(judged, "row"),
                     able == judged ? "" : "; the values of the others scatter too much");
}

std::string memory_errors_in_words(const DeviceFacts& device) {
  if (device.memory_errors.empty()) return {};
  std::vector<std::string> words;
  for (const auto& [name, count] : device.memory_errors)
    if (count > 0) words.push_back(fmt::format("{} {}", replace_all(name, "_", " "), human_number(count, 9)));
  return words.empty() ? "none" : join(words, ", ");
}

std::string throttling_in_words(const FleetGpu& gpu) {
  if (gpu.throttled == 0) return {};
  return fmt::format("throttled in {} ({})", counted(static_cast<std::int64_t>(gpu.throttled), "row"),
                     join(gpu.throttle, ", "));
}

std::string deviation_in_words(double share) {
  const std::string digits = human_number(100 * std::abs(share), 3);
  return (share < 0 ? "-" : "+") + digits + " %";
}

std::string conditions_in_words(const FleetGpu& gpu) {
  std::vector<std::string> words;
  if (const std::string throttled = throttling_in_words(gpu); !throttled.empty()) words.push_back(throttled);
  const std::string errors = memory_errors_in_words(gpu.device);
  if (!errors.empty() && errors != "none") words.push_back("memory errors: " + errors);
  return join(words, "; ");
}

std::string fleet_text(const Fleet& fleet, const Style& style) {
  std::string text =
      fmt::format("{}, {} of {} in {}\n", counted(static_cast<std::int64_t>(fleet.records), "record"),
                  counted(std::ssize(fleet.gpus), "GPU"), counted(std::ssize(fleet.models), "model"), fleet.folder);
  for (std::size_t i = 0; i < fleet.models.size(); ++i) text += "\n" + model_text(fleet, i, style);
  if (fleet.nodes_tested > 0)
    text +=
        fmt::format("\n{} of {} compared\n",
                    fleet.nodes.empty()
                        ? "no node deviates from the others"
                        : style.red(counted(std::ssize(fleet.nodes), "row") + " of nodes that deviate from the others"),
                    fleet.nodes_tested) +
        listed(fleet.nodes, [&](const NodeOutlier& one) { return node_line(fleet, one); });
  if (fleet.parts_tested > 0)
    text +=
        fmt::format("\n{} of {} compared (SMs, GPCs, lines of L2)\n",
                    fleet.parts.empty()
                        ? "no part of a GPU deviates from its others"
                        : style.red(counted(std::ssize(fleet.parts), "part") + " of GPUs that deviate from the others"),
                    fleet.parts_tested) +
        listed(fleet.parts, [&](const PartOutlier& one) { return part_line(fleet, one); });
  std::vector<const FleetGpu*> unmeasured;
  for (const FleetGpu& gpu : fleet.gpus)
    if (!gpu.not_measured.empty()) unmeasured.push_back(&gpu);
  if (!unmeasured.empty()) text += style.red("\nGPUs without some of the rows") + "\n";
  text += listed(unmeasured, [](const FleetGpu* gpu) {
    return fmt::format("{}  {} rejected or failed, the first: {}", gpu->label,
                       counted(std::ssize(gpu->not_measured), "row"), gpu->not_measured.front());
  });
  if (!fleet.failures.empty()) text += style.red("\nGPUs without a record") + "\n";
  text += listed(fleet.failures, [](const FleetFailure& one) { return one.path + ": " + one.text; });
  return printable(text, text.size());
}

std::string gate_text(const Fleet& fleet, const GateResult& gate, const Style& style) {
  std::string text = fmt::format("\n{} of {} compared with the baseline\n",
                                 gate.failures.empty() ? style.green("no difference")
                                                       : style.red(counted(std::ssize(gate.failures), "difference")),
                                 counted(static_cast<std::int64_t>(gate.compared), "GPU-row"));
  text += listed(gate.failures, [&](const GateFailure& one) {
    const std::string& label = fleet.gpus[one.gpu].label;
    if (one.id.empty()) return fmt::format("{}  {}", label, one.text);
    if (!one.text.empty()) return fmt::format("{}  {} {}: {}", label, one.id, one.estimate, one.text);
    return fmt::format(
        "{}  {} {}: {}, baseline {} ({})", label, one.id, one.estimate, number(one.value, one.unit),
        number(one.expected, one.unit),
        one.expected == 0 ? "" : deviation_in_words((one.value - one.expected) / std::abs(one.expected)));
  });
  return printable(text, text.size());
}

}  // namespace warpclock
