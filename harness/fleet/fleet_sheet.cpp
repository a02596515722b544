#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "fleet/fleet.hpp"

namespace warpclock {
namespace {

/// "8 GPUs", "one GPU: it has nothing to be compared with".
std::string size_in_words(const FleetModel& model) {
  if (model.gpus.size() == 1) return "one GPU: there is nothing to compare it with, so it has no outliers";
  std::string count = counted(std::ssize(model.gpus), "GPU");
  if (model.gpus.size() >= fewest_gpus) return count;
  return fmt::format("{}: too few to look for outliers ({} are needed)", count, fewest_gpus);
}

/// "812 of 950 rows find a deviation of 2 % in 99 of 100 cases; the values of the others scatter too much."
std::string found_in_words(const FleetModel& model) {
  constexpr double share = 0.02;
  const auto judged = std::ranges::count_if(model.rows, [](const FleetRow& row) { return row.not_judged.empty(); });
  const auto able = std::ranges::count_if(model.rows, [](const FleetRow& row) {
    return row.not_judged.empty() && row.detects > 0 && row.detects <= share;
  });
  return fmt::format("{} of {} find a deviation of 2 % in 99 of 100 cases{}.", able, counted(judged, "row"),
                     able == judged ? "" : "; the values of the others scatter too much");
}

/// "812 comparisons in 8 GPUs: one outlier on one GPU. ...", or why there is none.
std::string said(const Fleet& fleet, const FleetModel& model) {
  if (model.tests == 0) return size_in_words(model) + ".";
  std::size_t outliers = 0, gpus = 0;
  for (const std::size_t gpu : model.gpus) {
    outliers += fleet.gpus[gpu].outliers;
    gpus += fleet.gpus[gpu].outliers > 0 ? 1 : 0;
  }
  return fmt::format("{} in {}: {} on {}. {}", counted(static_cast<std::int64_t>(model.tests), "comparison"),
                     size_in_words(model), counted(static_cast<std::int64_t>(outliers), "outlier"),
                     counted(static_cast<std::int64_t>(gpus), "GPU"), found_in_words(model));
}

/// "throttled in 12 rows (sw-power-cap)", or empty.
std::string throttling_in_words(const FleetGpu& gpu) {
  if (gpu.throttled == 0) return {};
  return fmt::format("throttled in {} ({})", counted(static_cast<std::int64_t>(gpu.throttled), "row"),
                     join(gpu.throttle, ", "));
}

/// "+2.1 %", "-0.04 %".
std::string deviation_in_words(double share) {
  const std::string digits = human_number(100 * std::abs(share), 3);
  return (share < 0 ? "-" : "+") + digits + " %";
}

/// What is wrong with a GPU, from its errors and throttling; empty if nothing is known.
std::string conditions_in_words(const FleetGpu& gpu) {
  std::vector<std::string> words;
  if (const std::string throttled = throttling_in_words(gpu); !throttled.empty()) words.push_back(throttled);
  const std::string errors = memory_errors_in_words(gpu.device);
  if (!errors.empty() && errors != "none") words.push_back("memory errors: " + errors);
  if (const std::string events = in_words(gpu.events); !events.empty()) words.push_back("during the run: " + events);
  return join(words, "; ");
}

constexpr std::size_t most_lines = 20;

/// For people the first rows, and how many more there are.
void add(Sheet& sheet, Table table) {
  Table rest = table;
  rest.title.clear();
  rest.notes.clear();
  rest.rows.clear();
  rest.audience = Audience::Programs;
  if (table.rows.size() > most_lines) {
    rest.rows.assign(table.rows.begin() + most_lines, table.rows.end());
    table.rows.resize(most_lines);
    table.notes.insert(table.notes.begin(), fmt::format("and {} more: --json and --page have all", rest.rows.size()));
  }
  sheet.tables.push_back(std::move(table));
  if (!rest.rows.empty()) sheet.tables.push_back(std::move(rest));
}

Cell number(double value, const std::string& unit) {
  return {human_number(value, 5) + (unit.empty() || unit == "1" ? "" : " " + unit), value};
}

Cell count(std::size_t value) { return {std::to_string(value), value}; }

Cell sigmas(const std::optional<double>& z) { return z ? Cell(fmt::format("{:+.1f} sigma", *z), *z) : Cell(); }

/// Numbers that are away from others: the columns of what has them, then of the row of a record, which people read as
/// one, of the number and of what it is away from.
Table away_table(std::string key, std::string title, std::vector<std::string> of, const std::string& from,
                 const std::vector<std::string>& more) {
  of.insert(of.end(), {"id|row", "-estimate", "-unit", "#value", "#" + from, "#deviation"});
  of.insert(of.end(), more.begin(), more.end());
  return {.key = std::move(key), .title = std::move(title), .columns = columns(of)};
}

void add_away(std::vector<Cell>& cells, const FleetRow& row, double value, double from, double share) {
  for (const Cell& cell : {Cell(row.id + " " + row.estimate, row.id), Cell(row.estimate), Cell(row.unit),
                           number(value, row.unit), number(from, row.unit), Cell(deviation_in_words(share), share)})
    cells.push_back(cell);
}

Table gpu_table(const Fleet& fleet) {
  Table table{.key = "gpus",
              .columns = columns({"label",         "model",         "host",   "uuid",           "serial",
                                  "pci",           "board",         "vbios",  "driver",         "ecc",
                                  "memory_errors", "folder",        "date",   "records",        "rows",
                                  "not_measured",  "outliers",      "sm_mhz", "throttled_rows", "throttle",
                                  "power_w",       "temperature_c", "errors", "throttling",     "conditions"}),
              .audience = Audience::Programs};
  const auto value = [](Json of) { return Cell("", std::move(of)); };
  for (const FleetGpu& gpu : fleet.gpus) {
    const DeviceFacts& device = gpu.device;
    table.rows.push_back({gpu.label,
                          fleet.models[gpu.model].name,
                          gpu.host,
                          device.uuid,
                          device.serial,
                          device.pci,
                          device.board,
                          device.vbios,
                          device.driver,
                          device.ecc,
                          value(device.memory_errors),
                          gpu.folder,
                          gpu.date,
                          count(gpu.records),
                          count(gpu.measured),
                          value(gpu.not_measured),
                          count(gpu.outliers),
                          value(gpu.sm_mhz),
                          count(gpu.throttled),
                          value(gpu.throttle),
                          value(gpu.power_w),
                          value(gpu.temperature_c),
                          memory_errors_in_words(device),
                          throttling_in_words(gpu),
                          conditions_in_words(gpu)});
  }
  return table;
}

Json row_json(const FleetRow& row) {
  Json json = {{"id", row.id},       {"estimate", row.estimate},
               {"unit", row.unit},   {"kind", word(row.kind)},
               {"gpus", row.gpus},   {"median", row.median},
               {"sigma", row.sigma}, {"min", row.low},
               {"max", row.high},    {"repeatability", row.repeatability}};
  if (row.varies) json["varies"] = true;
  if (row.not_judged.empty())
    json.update({{"threshold", row.threshold}, {"detects", row.detects}, {"outliers", row.outliers}});
  else
    json["not_judged"] = row.not_judged;
  return json;
}

Table model_table(const Fleet& fleet) {
  Table table{.key = "models",
              .title = "models",
              .columns = columns({"model", "board", "#gpus|GPUs", "-compared", "#rows|rows", "said|what was found"})};
  for (const FleetModel& model : fleet.models) {
    Json rows = Json::array();
    for (const FleetRow& row : model.rows) rows.push_back(row_json(row));
    table.rows.push_back({model.name,
                          model.board,
                          count(model.gpus.size()),
                          count(model.tests),
                          {std::to_string(model.rows.size()), std::move(rows)},
                          said(fleet, model)});
  }
  return table;
}

Table outlier_table(const Fleet& fleet) {
  Table table = away_table("outliers", fleet.outliers.empty() ? "" : "outliers", {"gpu|GPU", "-uuid"}, "median",
                           {"#z|distance", "+conditions"});
  for (const FleetOutlier& one : fleet.outliers) {
    const FleetGpu& gpu = fleet.gpus[one.gpu];
    const FleetRow& row = fleet.models[gpu.model].rows[one.row];
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells = {Cell(gpu.label).with(Tone::Bad), gpu.device.uuid};
    add_away(cells, row, one.value, row.median, one.share);
    cells.push_back(sigmas(one.z));
    cells.push_back(conditions_in_words(gpu));
  }
  return table;
}

/// The rows with the largest spread.
Table widest_table(const FleetModel& model) {
  std::vector<const FleetRow*> rows;
  for (const FleetRow& row : model.rows)
    if (row.gpus > 1 && row.median != 0 && !row.varies) rows.push_back(&row);
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const FleetRow* row) { return (row->high - row->low) / std::abs(row->median); });
  rows.resize(std::min(rows.size(), most_lines / 2));
  Table table{.key = "widest",
              .title = rows.empty() ? "" : "rows of " + model.name + " that differ most between GPUs",
              .columns = columns({"row", "#median", "#sigma", "#least", "#most", "#finds"})};
  for (const FleetRow* row : rows)
    table.rows.push_back({row->id + " " + row->estimate, number(row->median, row->unit),
                          fmt::format("{:.2f} %", 100 * row->sigma / std::abs(row->median)), human_number(row->low, 5),
                          human_number(row->high, 5),
                          row->detects > 0 ? fmt::format("{:.2g} %", 100 * row->detects) : ""});
  return table;
}

/// "96.00.99 (3), 96.00.A0 (5)"; "8 different" if no two have the same.
std::string values_in_words(const BoardFact& fact) {
  std::vector<std::string> words;
  const auto alone = [](const auto& one) { return one.second.size() == 1; };
  if (fact.values.size() > 2 && std::ranges::all_of(fact.values, alone))
    return fmt::format("{} different", fact.values.size());
  for (const auto& [value, gpus] : fact.values)
    words.push_back(fmt::format("{} ({})", value.empty() ? "not known" : value, gpus.size()));
  return join(words, ", ");
}

Table fact_table(const Fleet& fleet) {
  Table table{.key = "board_facts",
              .title = fleet.facts.empty() ? "" : "what records say differently of boards of a model",
              .columns = columns({"model", "fact", "values|values and on how many GPUs"})};
  for (const BoardFact& fact : fleet.facts) {
    Json values = Json::object();
    for (const auto& [value, gpus] : fact.values)
      for (const std::size_t gpu : gpus) values[value].push_back(fleet.gpus[gpu].label);
    table.rows.push_back({fleet.models[fact.model].name, fact.fact, {values_in_words(fact), std::move(values)}});
  }
  return table;
}

/// What boards of one model differ in, by the probe.
Table topic_table(const Fleet& fleet) {
  Table table{
      .key = "board_topics",
      .title = fleet.topics.empty() ? "" : "where boards of a model differ, by probe",
      .columns = columns({"model", "probe", "#rows", "#differing|differ", "row|differs most", "-estimate", "-unit",
                          "#low|least", "lowest|of", "#high|most", "highest|of", "goes_with|goes with"})};
  for (const BoardTopic& one : fleet.topics)
    table.rows.push_back({fleet.models[one.model].name, one.probe, count(one.rows), count(one.differing),
                          Cell(one.id + " " + one.estimate, one.id), one.estimate, one.unit, number(one.low, one.unit),
                          fleet.gpus[one.lowest].label, number(one.high, one.unit), fleet.gpus[one.highest].label,
                          Cell(join(one.goes_with, ", "), one.goes_with)});
  return table;
}

/// Empty if none were compared.
std::string compared(std::ptrdiff_t found, const std::string& what, std::size_t tested) {
  if (tested == 0) return {};
  return fmt::format("{} that deviate from the others, of {} compared", counted(found, what), tested);
}

Table node_table(const Fleet& fleet) {
  Table table = away_table("nodes", compared(std::ssize(fleet.nodes), "row of a node", fleet.nodes_tested),
                           {"host|node", "-model", "#gpus|GPUs"}, "median", {"#z|distance"});
  for (const NodeOutlier& one : fleet.nodes) {
    const FleetModel& model = fleet.models[one.model];
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells = {Cell(one.host).with(Tone::Bad), model.name, count(one.gpus)};
    add_away(cells, model.rows[one.row], one.value, model.rows[one.row].median, one.share);
    cells.push_back(sigmas(one.z));
  }
  return table;
}

Table part_table(const Fleet& fleet) {
  Table table{.key = "parts",
              .title = compared(std::ssize(fleet.parts), "SM, GPC or line of L2", fleet.parts_tested),
              .columns = columns({"gpu|GPU", "part", "#index", "probe", "#value", "#median", "#z|distance"})};
  for (const PartOutlier& one : fleet.parts)
    table.rows.push_back({Cell(fleet.gpus[one.gpu].label).with(Tone::Bad), one.part, count(one.index), one.probe,
                          number(one.value, {}), number(one.median, {}), sigmas(one.z)});
  return table;
}

Table unmeasured_table(const Fleet& fleet) {
  Table table{.key = "unmeasured", .columns = columns({"gpu", "rows", "first"}), .headed = false};
  for (const FleetGpu& gpu : fleet.gpus)
    if (!gpu.not_measured.empty())
      table.rows.push_back({gpu.label, counted(std::ssize(gpu.not_measured), "row") + " rejected or failed",
                            "the first: " + gpu.not_measured.front()});
  if (!table.rows.empty()) table.title = "GPUs without some of the rows";
  return table;
}

}  // namespace

Sheet fleet_sheet(const Fleet& fleet) {
  Sheet sheet;
  sheet.facts = {{"folder", "", fleet.folder, Audience::People},
                 {"records", "", count(fleet.records)},
                 {"gpus", "GPUs", std::to_string(fleet.gpus.size()), Audience::People},
                 {"even", "", {"", fleet.even()}, Audience::Programs},
                 {"false_alarm", "", {"", false_alarm}, Audience::Programs}};
  sheet.tables.push_back(gpu_table(fleet));
  add(sheet, model_table(fleet));
  add(sheet, outlier_table(fleet));
  for (const FleetModel& model : fleet.models) sheet.tables.push_back(widest_table(model));
  add(sheet, fact_table(fleet));
  add(sheet, topic_table(fleet));
  add(sheet, node_table(fleet));
  add(sheet, part_table(fleet));
  add(sheet, unmeasured_table(fleet));
  Table failures{.key = "failures",
                 .title = fleet.failures.empty() ? "" : "GPUs without a record",
                 .columns = columns({"path", "text"}),
                 .headed = false};
  for (const FleetFailure& one : fleet.failures) failures.rows.push_back({Cell(one.path).with(Tone::Bad), one.text});
  add(sheet, std::move(failures));
  return sheet;
}

Sheet gate_sheet(const Fleet& fleet, const GateResult& gate) {
  Sheet sheet;
  sheet.facts = {{"compared", "", {"", gate.compared}, Audience::Programs},
                 {"passed", "", {"", passes(fleet, gate)}, Audience::Programs}};
  Table table =
      away_table("failures",
                 fmt::format("{} from the baseline, of {} compared",
                             gate.failures.empty() ? "no difference" : counted(std::ssize(gate.failures), "difference"),
                             counted(static_cast<std::int64_t>(gate.compared), "GPU-row")),
                 {"gpu|GPU", "-uuid"}, "baseline", {"-allowed", "why"});
  for (const GateFailure& one : gate.failures) {
    const FleetGpu& gpu = fleet.gpus[one.gpu];
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells = {Cell(gpu.label).with(Tone::Bad), gpu.device.uuid};
    add_away(cells, {.id = one.id, .estimate = one.estimate, .unit = one.unit}, one.value, one.expected,
             one.expected == 0 ? 0 : (one.value - one.expected) / std::abs(one.expected));
    cells.push_back({"", one.allowed});
    cells.push_back(one.text);
    // What has no number has a reason.
    if (!one.text.empty())
      for (const std::size_t i : {5U, 6U, 7U, 8U}) cells[i] = Cell();
  }
  add(sheet, std::move(table));
  return sheet;
}

Json fleet_json(const Fleet& fleet, const GateResult* gate) {
  Json json = to_json(fleet_sheet(fleet));
  if (gate != nullptr) json["gate"] = to_json(gate_sheet(fleet, *gate));
  return json;
}

}  // namespace warpclock
