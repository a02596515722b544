#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "inspect/hazards/hazards.hpp"
#include "inspect/inspection_output.hpp"

namespace warpclock {
namespace {

constexpr std::size_t most_unknown = 4, most_places = 3;

std::string place_text(const HazardPlace& place) { return address_text(place.address) + " " + place.text; }

std::string loop_text(const LoopSlack& slack) {
  if (!slack.loop) return "outside loops";
  return fmt::format("loop {} ({} to {})", *slack.loop, address_text(slack.begin), address_text(slack.end));
}

std::string slack_text(const LoopSlack& slack) {
  const std::string text =
      fmt::format("{}: {} of {} cycles of stall counts", loop_text(slack), slack.slack, slack.issue_cycles);
  return slack.slack == 0 ? text : fmt::format("{}, {} without", text, slack.issue_cycles - slack.slack);
}

std::string slack_place_text(const SlackPlace& place) {
  return fmt::format("  {} less: {} issues {} cycles after {}; {} are needed ({})", place.slack, place_text(place.at),
                     place.cycles, place_text(place.producer), place.needed, place.row);
}

std::string checked_text(const KernelHazards& kernel) {
  return fmt::format("{} by stall counts, {} that set a scoreboard", counted(kernel.by_stalls, "result"),
                     counted(kernel.by_scoreboards, "instruction"));
}

std::string unknown_text(const KernelHazards& kernel) {
  if (kernel.not_checked == 0) return {};
  std::vector<std::string> parts;
  for (const NotChecked& each : kernel.unknown) {
    if (parts.size() == most_unknown) break;
    parts.push_back(fmt::format("{} {}", each.what, each.count));
  }
  if (kernel.unknown.size() > most_unknown) parts.emplace_back("…");
  return fmt::format("{} without a row: {}", counted(kernel.not_checked, "result"), join(parts, ", "));
}

Table kernel_table(const KernelHazards& kernel) {
  Table table{.key = "facts",
              .title = kernel.readable,
              .columns = columns({"name", "text"}),
              .headed = false,
              .audience = Audience::People};
  const auto add = [&](const std::string& name, const std::string& text, Tone tone = Tone::Plain) {
    if (!text.empty()) table.rows.push_back({name, Cell(text).with(tone)});
  };
  if (kernel.too_complex) {
    add("hazards", "not checked: more is under way at once than is followed", Tone::Doubtful);
    return table;
  }
  if (kernel.hazards.empty()) add("hazards", "none");
  for (const Hazard& each : kernel.hazards)
    add(&each == kernel.hazards.data() ? "hazards" : "", hazard_text(each), Tone::Bad);
  add("checked", checked_text(kernel));
  add("not checked", unknown_text(kernel));
  add("not reached", kernel.unreached > 0 ? counted(kernel.unreached, "instruction") : "");
  bool first = true;
  for (const LoopSlack& each : kernel.slack) {
    if (!each.loop && each.slack == 0) continue;
    add(std::exchange(first, false) ? "slack" : "", slack_text(each));
    for (const SlackPlace& place : std::views::take(each.places, most_places)) add("", slack_place_text(place));
  }
  return table;
}

void add_places(std::vector<Cell>& row, const HazardPlace& at, const HazardPlace& producer) {
  row.emplace_back("", at.address);
  row.emplace_back(at.text);
  row.emplace_back("", producer.address);
  row.emplace_back(producer.text);
}

Cell number_cell(std::optional<int> value) { return {"", value ? Json(*value) : Json()}; }

/// What programs read of all kernels.
std::vector<Table> tables_for_programs(const HazardReport& report) {
  const auto table = [](const char* key, const std::vector<std::string>& names) {
    return Table{.key = key, .columns = columns(names), .audience = Audience::Programs};
  };
  Table kernels = table("kernels", {"kernel", "readable", "instructions", "not_reached", "by_stalls", "by_scoreboards",
                                    "not_checked", "hazards", "too_complex"}),
        hazards = table("hazards", {"kernel", "kind", "address", "text", "producer", "producer_text", "register",
                                    "cycles", "needed", "row", "scoreboard"}),
        slack = table("slack", {"kernel", "loop", "begin", "end", "instructions", "issue_cycles", "slack_cycles"}),
        places = table("places", {"kernel", "loop", "address", "text", "producer", "producer_text", "cycles", "needed",
                                  "slack_cycles", "row"}),
        unknown = table("not_checked", {"kernel", "what", "count"});
  for (const KernelHazards& kernel : report.kernels) {
    kernels.rows.push_back({kernel.name, kernel.readable, number_cell(kernel.instructions),
                            number_cell(kernel.unreached), number_cell(kernel.by_stalls),
                            number_cell(kernel.by_scoreboards), number_cell(kernel.not_checked),
                            number_cell(static_cast<int>(kernel.hazards.size())), Cell("", kernel.too_complex)});
    for (const Hazard& each : kernel.hazards) {
      std::vector<Cell>& row = hazards.rows.emplace_back(std::vector<Cell>{kernel.name, each.kind});
      add_places(row, each.at, each.producer);
      for (const Cell& cell : {Cell(each.reg), number_cell(each.cycles), number_cell(each.needed), Cell(each.row),
                               number_cell(each.scoreboard)})
        row.push_back(cell);
    }
    for (const LoopSlack& each : kernel.slack) {
      slack.rows.push_back({kernel.name, number_cell(each.loop), Cell("", each.begin), Cell("", each.end),
                            number_cell(each.instructions), number_cell(each.issue_cycles), number_cell(each.slack)});
      for (const SlackPlace& place : each.places) {
        std::vector<Cell>& row = places.rows.emplace_back(std::vector<Cell>{kernel.name, number_cell(each.loop)});
        add_places(row, place.at, place.producer);
        for (const Cell& cell :
             {number_cell(place.cycles), number_cell(place.needed), number_cell(place.slack), Cell(place.row)})
          row.push_back(cell);
      }
    }
    for (const NotChecked& each : kernel.unknown)
      unknown.rows.push_back({kernel.name, each.what, number_cell(each.count)});
  }
  return {std::move(kernels), std::move(hazards), std::move(slack), std::move(places), std::move(unknown)};
}

}  // namespace

std::string hazard_text(const Hazard& hazard) {
  const std::string at = place_text(hazard.at), producer = place_text(hazard.producer);
  const int scoreboard = hazard.scoreboard.value_or(-1);
  if (hazard.kind == "early-read")
    return fmt::format("{} reads {} {} after {}; {} are needed ({})", at, hazard.reg, counted(hazard.cycles, "cycle"),
                       producer, hazard.needed.value_or(0), hazard.row);
  if (hazard.kind == "no-wait")
    return fmt::format("{} reads {} without waiting for scoreboard {}, which signals the result of {}", at, hazard.reg,
                       scoreboard, producer);
  if (hazard.kind == "no-scoreboard")
    return fmt::format("{} reads {}, whose arrival no scoreboard signals, from {}", at, hazard.reg, producer);
  if (hazard.kind == "overwrites-result")
    return fmt::format("{} overwrites {} without waiting for scoreboard {}, which signals the result of {}", at,
                       hazard.reg, scoreboard, producer);
  return fmt::format("{} overwrites {} without waiting for scoreboard {}, which signals that {} has read it", at,
                     hazard.reg, scoreboard, producer);
}

Sheet hazard_sheet(const HazardReport& report) {
  Sheet sheet{.title = fmt::format("{}: {}, {}, minimum stall counts of {}", printable(report.file), report.kind,
                                   report.arch, report.gpus)};
  for (const auto& [key, value] : {std::pair("file", report.file), std::pair("kind", report.kind),
                                   std::pair("arch", report.arch), std::pair("gpus", report.gpus)})
    sheet.facts.push_back({key, "", value, Audience::Programs});
  for (const KernelHazards& kernel : report.kernels) sheet.tables.push_back(kernel_table(kernel));
  for (Table& table : tables_for_programs(report)) sheet.tables.push_back(std::move(table));
  return sheet;
}

}  // namespace warpclock
