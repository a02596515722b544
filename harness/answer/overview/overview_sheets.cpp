#include "answer/overview/overview_sheets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "answer/instructions/instruction_cells.hpp"
#include "answer/numbers/figures.hpp"
#include "answer/numbers/quantity.hpp"
#include "answer/sections/tensor_table.hpp"
#include "answer/words/page_words.hpp"
#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "base/yaml/yaml_archive.hpp"
#include "check/case_row.hpp"
#include "record/outline.hpp"
#include "record/record.hpp"

namespace warpclock {

Json sheet_cell(const std::string& text, const std::string& href, const std::string& note) {
  if (href.empty() && note.empty()) return text;
  Json cell = {{"text", text}};
  if (!href.empty()) cell["href"] = href;
  if (!note.empty()) cell["note"] = note;
  return cell;
}

namespace {

/// `heads`: titles of columns; those of numbers begin with '#', and a unit follows after '|': "#latency|cycles". Rows
/// are arrays of cells. A `plain` table wraps its texts; others show the rows in view and sort, filter and copy.
Json sheet_table(const std::string& label, const std::vector<std::string>& heads, Json rows, bool plain = false) {
  Json table = {{"label", label}, {"heads", heads}, {"rows", std::move(rows)}};
  if (plain) table["plain"] = true;
  return table;
}

}  // namespace

Json sheet_section(const std::string& id, const std::string& title, const std::vector<std::string>& notes) {
  Json section = {{"id", id}, {"title", title}};
  if (!notes.empty()) section["notes"] = notes;
  return section;
}

namespace {

/// What a row of front.yaml names: exactly one of the three.
struct FrontRow {
  std::string label, quantity, instruction, tensor, inputs, accumulator;
};

struct FrontTable {
  std::string title;
  bool ladder = false;  ///< also drawn, as bars on a logarithmic axis
  TensorColumn column = TensorColumn::Random;
  std::vector<FrontRow> rows;
};

void describe(YamlArchive& a, FrontRow& v) {
  a.optional("of", v.quantity);
  a.optional("ptx", v.instruction);
  WARPCLOCK_OPTIONAL(label, tensor, inputs, accumulator);
}

void describe(YamlArchive& a, FrontTable& v) {
  std::string column = "random";
  a.required("table", v.title);
  a.optional("column", column, yaml::OneOfWords{{"random", "sustained"}});
  if (column == "sustained") v.column = TensorColumn::Sustained;
  WARPCLOCK_OPTIONAL(ladder);
  WARPCLOCK_REQUIRED(rows);
}

const Expected<std::vector<FrontTable>>& known_front() {
  static const auto known =
      read_yaml<std::vector<FrontTable>>("front.yaml", embedded_assets().at("front.yaml"), yaml::under("tables"));
  return known;
}

std::string folder_of(const ReportedGpu& gpu, bool all) { return all ? percent_encoded(gpu.folder) + "/" : ""; }

std::optional<Json> named_quantity(const ReportedGpu& gpu, const std::string& name, bool all) {
  const auto& known = known_quantities();
  return known && known->contains(name) ? quantity_cell(gpu, known->at(name), all) : std::nullopt;
}

std::optional<Json> instruction_cell(const ReportedGpu& gpu, const std::string& id, bool all) {
  const Row* row = gpu.table ? find_by(gpu.table->rows, id, &Row::id) : nullptr;
  if (row == nullptr || row->outcome != Outcome::Measured) return {};
  // Whole cycles, of the operand with the fewest and of that with the most.
  double least = 0, most = 0;
  for (const OperandLatency& each : latencies(*row)) {
    const double cycles = each.measured->value;
    least = most > 0 ? std::min(least, cycles) : cycles, most = std::max(most, cycles);
  }
  std::string latency = most > 0 ? fixed(least, 0) : "";
  if (fixed(most, 0) != latency && most > 0) latency += " \xE2\x80\x93 " + fixed(most, 0);
  const Estimate* rate = published(*row, "throughput");
  const std::string results = rate ? human_number(rate->value, 4) + " results/clk/SM" : "";
  const std::string href = folder_of(gpu, all) + "instructions.html#i=" + percent_encoded(id);
  return latency.empty() ? sheet_cell(results, href) : sheet_cell(latency + " cycles", href, results);
}

/// The highest rate of dense products of these types with random data.
std::optional<Json> tensor_cell(const ReportedGpu& gpu, const FrontRow& row, bool all, TensorColumn column) {
  const auto& known = known_tensor();
  if (!known) return {};
  std::optional<Json> best;
  double most = 0;
  for (const auto& [suite, record] : gpu.results) {
    for (const TensorGroup& group : tensor_groups(*known, *record)) {
      const bool meant = group.dense && group.instruction == row.tensor && group.inputs == row.inputs &&
                         group.accumulator == row.accumulator;
      for (const TensorLine& line : group.lines) {
        const auto& number = line.at(column);
        if (!meant || !number || number->value <= most) continue;
        const std::string href =
            folder_of(gpu, all) + percent_encoded(ReportedGpu::page_of(suite)) + "#" + percent_encoded(number->row->id);
        const auto teraops = number->teraops(gpu.device().sms);
        if (column != TensorColumn::Sustained) {
          best = sheet_cell(fixed(number->value, 0) + " FMA/clk/SM", href,
                            line.shape + ", " + peak_text(group, line) + " of peak");
        } else if (teraops) {
          best = sheet_cell(fixed(teraops->value, 0) + (row.inputs == "s8" ? " TOP/s" : " TFLOP/s"), href,
                            line.shape + ", " + conditions_text(*number));
        } else {
          continue;
        }
        most = number->value;
      }
    }
  }
  return best;
}

}  // namespace

std::optional<Json> quantity_cell(const ReportedGpu& gpu, const Quantity& quantity, bool all) {
  const auto found = find_quantity(gpu, quantity);
  if (!found) return {};
  const QuantityValue& value = found->value;
  const auto rate = gigabytes_per_second(value.most.value_or(value.value), value.unit, gpu.device().sms, value.clock);
  std::string text = value_text(value);
  if (value.probe.empty()) return sheet_cell(text);
  const std::string href = folder_of(gpu, all) + percent_encoded(ReportedGpu::page_of(found->suite)) +
                           "#probe:" + percent_encoded(value.probe);
  if (!rate) return sheet_cell(text, href);
  if (rate->moved) text += fmt::format(", {} to {} GB/s", fixed(rate->low, 0), fixed(rate->high, 0));
  return sheet_cell(gigabytes_text({rate->value}), href, text);
}

Json front_sections(const std::vector<ReportedGpu>& gpus, bool all) {
  Json sections = Json::array();
  const auto& known = known_front();
  if (!known) {
    sections.push_back(sheet_section("front", "Numbers", {known.error().message()}));
    return sections;
  }
  for (const FrontTable& table : *known) {
    Json rows = Json::array();
    for (const FrontRow& row : table.rows) {
      Json cells = {row.label};
      bool any = false;
      for (const ReportedGpu& gpu : gpus) {
        const auto cell = !row.quantity.empty()      ? named_quantity(gpu, row.quantity, all)
                          : !row.instruction.empty() ? instruction_cell(gpu, row.instruction, all)
                                                     : tensor_cell(gpu, row, all, table.column);
        any = any || cell.has_value();
        cells.push_back(cell.value_or(Json("\xE2\x80\x93")));
      }
      if (any) rows.push_back(std::move(cells));
    }
    if (rows.empty()) continue;
    std::vector<std::string> heads = {""};
    for (const ReportedGpu& gpu : gpus) heads.push_back("#" + gpu.name());
    Json section = sheet_section(fmt::format("front-{}", sections.size()), table.title);
    section["tables"].push_back(sheet_table(table.title, heads, std::move(rows), true));
    if (table.ladder) section["ladder"] = true;
    sections.push_back(std::move(section));
  }
  return sections;
}

namespace {

using Gpus = std::vector<ReportedGpu>;

/// A value next to the others of its row: four digits.
Json value_cell(const ReportedGpu& gpu, const SharedNumber& number, const Estimate* estimate) {
  if (estimate == nullptr) return "\xE2\x80\x93";
  return sheet_cell(human_number(estimate->value, 4), fmt::format("{}/{}#{}", percent_encoded(gpu.folder),
                                                                  percent_encoded(number.page), number.fragment));
}

std::string unit_of(const SharedNumber& number) {
  for (const Estimate* estimate : number.on) {
    if (estimate != nullptr) return unit_text(estimate->unit);
  }
  return {};
}

std::string state_of(const GpuDifference& difference) {
  if (!difference.confirmed && difference.cause != nullptr) return "cause: " + difference.cause->name;
  if (difference.second == nullptr) return "open";
  return fmt::format("{}: {} {}, \xC3\x97 {:.2f}", difference.confirmed ? "confirmed" : "open", difference.second->id,
                     difference.second->estimate, difference.second_ratio);
}

Json difference_row(const Gpus& gpus, const GpuDifference& difference, const std::string& what,
                    const std::string& counts) {
  const SharedNumber& number = *difference.number;
  const std::string unit = unit_of(number);
  Json row = {what, number.estimate + (unit.empty() ? "" : ", " + unit)};
  for (std::size_t i = 0; i < gpus.size(); ++i) row.push_back(value_cell(gpus[i], number, number.on[i]));
  row.push_back(difference.share ? fmt::format("{:.0f} points", 100 * difference.ratio)
                                 : fmt::format("{:.2f}", difference.ratio));
  if (!counts.empty()) row.push_back(counts);
  row.push_back(state_of(difference));
  return row;
}

std::vector<std::string> difference_heads(const Gpus& gpus, bool groups) {
  std::vector<std::string> heads = {groups ? "largest difference of" : "row", "number"};
  for (const ReportedGpu& gpu : gpus) heads.push_back("#" + gpu.name());
  heads.emplace_back("#ratio");
  if (groups) heads.emplace_back("beyond 20 %");
  heads.emplace_back("second method");
  return heads;
}

/// Each cause with the number of differences that are of it, confirmed or not.
std::vector<std::string> causes_of(const GpuDifferences& all) {
  std::vector<std::pair<const DifferenceCause*, std::size_t>> causes;
  for (const DifferenceGroup& group : all.groups) {
    for (const GpuDifference& each : group.rows) {
      if (each.cause == nullptr) continue;
      const auto at = std::ranges::find(causes, each.cause, &std::pair<const DifferenceCause*, std::size_t>::first);
      if (at != causes.end()) {
        ++at->second;
      } else {
        causes.emplace_back(each.cause, 1);
      }
    }
  }
  std::vector<std::string> out;
  for (const auto& [cause, count] : causes)
    out.push_back(fmt::format("{} ({} of the differences): {}", cause->name, count, cause->says));
  return out;
}

Json differences_section(const Gpus& gpus) {
  const auto& notes = known_difference_notes();
  if (!notes) return sheet_section("differences", "Where the GPUs differ", {notes.error().message()});
  const std::vector<SharedNumber> numbers = shared_numbers(gpus);
  const GpuDifferences all = find_differences(numbers, *notes);
  std::vector<std::string> said = {
      fmt::format("{} numbers were measured on more than one GPU. {} differ by more than 20 % with disjoint intervals "
                  "(percentages: "
                  "by more than 20 points). {} are confirmed: a second, independent probe shows a difference of "
                  "similar size. {} more "
                  "are of a known cause; {} are open.",
                  all.compared, all.differ, all.confirmed, all.differ - all.confirmed - all.open, all.open)};
  if (all.other_code > 0)
    said.push_back(fmt::format("{} more are not compared: records of different commits timed other machine code.",
                               all.other_code));
  Json section = sheet_section("differences", "Where the GPUs differ", said);
  if (all.groups.empty()) return section;
  section["list"] = causes_of(all);
  Json groups = Json::array(), every = Json::array();
  for (const DifferenceGroup& group : all.groups) {
    const GpuDifference& most = group.rows.front();
    groups.push_back(difference_row(
        gpus, most, most.number->id.starts_with(group.group) ? most.number->id : group.group + ": " + most.number->id,
        fmt::format("{} of {} numbers: {} confirmed, {} open", group.rows.size(), group.compared, group.confirmed(),
                    group.open())));
    for (const GpuDifference& each : group.rows) every.push_back(difference_row(gpus, each, each.number->id, ""));
  }
  section["tables"].push_back(
      sheet_table("the largest difference of each group", difference_heads(gpus, true), groups));
  section["folded"] = {{"summary", fmt::format("All {} differences", all.differ)},
                       {"table", sheet_table("all differences", difference_heads(gpus, false), every)}};
  return section;
}

/// The quantities of quantities.yaml, one column for each GPU.
Json numbers_section(const Gpus& gpus, bool all) {
  const Expected<Quantities>& known = known_quantities();
  if (!known) return sheet_section("numbers", "Main numbers", {known.error().message()});
  std::vector<std::string> heads = {"quantity", "what it is"};
  for (const ReportedGpu& gpu : gpus) heads.push_back("#" + gpu.name());
  Json rows = Json::array();
  for (const auto& [name, quantity] : *known) {
    Json row = {name, quantity.says};
    bool any = false;
    for (const ReportedGpu& gpu : gpus) {
      const auto cell = quantity_cell(gpu, quantity, all);
      any = any || cell.has_value();
      row.push_back(cell.value_or(Json("\xE2\x80\x93")));
    }
    if (any) rows.push_back(std::move(row));
  }
  Json section = sheet_section("numbers", "Main numbers");
  if (!rows.empty()) section["tables"].push_back(sheet_table("main numbers", heads, rows, true));
  return section;
}

std::string families_of(const Record& record) {
  std::string out;
  std::set<std::string> seen;
  for (const Row& row : record.rows) {
    if (seen.insert(row.family).second) out += (out.empty() ? "" : ", ") + row.family;
  }
  return out;
}

/// "322 kernels, median error 4.1 %, ...".
std::string errors_of(const Record& table) {
  const std::vector<std::string> lines = error_lines(table.rows);
  return lines.empty() ? "kernels, predicted" : lines.front().substr(lines.front().find(' ') + 1);
}

/// Its pages: what they have, how many rows, when and by which commit, and their records.
Json pages_section(const ReportedGpu& gpu, const std::string& folder, bool all) {
  Json rows = Json::array();
  const auto add = [&](const std::string& suite, const char* file, const char* record, const std::string& name,
                       const std::string& has, std::size_t measured, std::size_t of, const Provenance& provenance) {
    const auto link = [&](const char* to) { return folder + percent_encoded(ReportedGpu::page_of(suite, to)); };
    Json row = {sheet_cell((all ? gpu.name() + ", " : "") + name, link(file)),
                has,
                std::to_string(measured),
                std::to_string(of - measured),
                provenance.date.substr(0, 10),
                provenance.commit.substr(0, 12),
                sheet_cell(record, link(record))};
    rows.push_back(std::move(row));
  };
  const auto measured_of = [](const auto& all_rows, auto outcome) {
    return static_cast<std::size_t>(std::ranges::count(all_rows, Outcome::Measured, outcome));
  };
  for (const auto& [suite, record] : gpu.results)
    add(suite, "report.html", "result.json.gz", page_name(suite), families_of(*record),
        measured_of(record->rows, &Row::outcome), record->rows.size(), record->provenance);
  if (gpu.table != nullptr)
    add("", "instructions.html", "instructions.json.gz", "instructions",
        "every PTX instruction: latency, rate, pipe, machine code", measured_of(gpu.table->rows, &Row::outcome),
        gpu.table->rows.size(), gpu.table->provenance);
  if (gpu.machine != nullptr) {
    const MachineCounts counts = count_rows(*gpu.machine);
    add("", "machine.html", "machine.json.gz", "machine instructions",
        "latency, minimum stall count, issue interval; which pairs overlap", counts.measured, counts.rows,
        gpu.machine->provenance);
  }
  for (const auto& [of, table] : gpu.kernels)
    add(of, "cases.html", "cases.json.gz", page_name(of, "predictions"), errors_of(*table),
        measured_of(table->rows, &Row::outcome), table->rows.size(), table->provenance);
  return rows;
}

const std::vector<std::string> page_heads = {"page",        "what it has", "#measured", "#without a number",
                                             "measured on", "by commit",   "record"};

/// The answer of each probe; of a probe that several suites run, that of the first.
Json answers_section(const ReportedGpu& gpu) {
  Json rows = Json::array();
  std::set<std::string> seen;
  for (const auto& [suite, record] : gpu.results) {
    for (const FamilyOutline& family : outline(*record)) {
      for (const ProbeOutline& probe : family.probes) {
        if (!seen.insert(probe.probe.name).second) continue;
        std::string values;
        for (const Headline& each : probe.probe.answers)
          values += fmt::format("{}{} {}{}", values.empty() ? "" : "; ", each.name, text_of(each),
                                each.all_sms.empty() ? "" : ", " + each.all_sms);
        rows.push_back({sheet_cell(probe.probe.name, percent_encoded(ReportedGpu::page_of(suite)) +
                                                         "#probe:" + percent_encoded(probe.probe.name)),
                        values.empty() ? std::string(word(probe.cases.front()->outcome)) : values, probe.probe.asks});
      }
    }
  }
  Json section = sheet_section("answers", "What each probe found");
  if (!rows.empty()) section["tables"].push_back(sheet_table("answers", {"probe", "answer", "question"}, rows));
  return section;
}

/// [{"gpu", "page", "picture"}, ...]: the memory system of each GPU, by the result that has most of its numbers.
Json pictures_of(const Gpus& gpus, bool all) {
  Json out = Json::array();
  for (const ReportedGpu& gpu : gpus) {
    const auto memory = gpu.results.find("memory");
    const auto from = memory == gpu.results.end() ? gpu.results.find("") : memory;
    if (from == gpu.results.end()) continue;
    if (Json picture = picture_words(*from->second); !picture.is_null())
      out.push_back({{"gpu", gpu.name()},
                     {"page", (all ? percent_encoded(gpu.folder) + "/" : "") +
                                  percent_encoded(ReportedGpu::page_of(from->first))},
                     {"picture", std::move(picture)}});
  }
  return out;
}

}  // namespace

Json index_sheet(const std::vector<ReportedGpu>& gpus) {
  Json sections = front_sections(gpus, true), rows = Json::array();
  for (const ReportedGpu& gpu : gpus) {
    const std::string folder = percent_encoded(gpu.folder) + "/";
    rows.push_back(
        {sheet_cell(gpu.name() + ", overview", folder + "index.html"), gpu.device().chip, "", "", "", "", ""});
    for (Json& row : pages_section(gpu, folder, true)) rows.push_back(std::move(row));
  }
  Json pages = sheet_section("pages", "GPUs and their pages");
  const auto tables = std::ranges::count_if(gpus, [](const ReportedGpu& gpu) { return gpu.table != nullptr; });
  if (tables > 1)
    rows.push_back({sheet_cell("all GPUs, instructions", "instructions.html"), "all instructions side by side", "", "",
                    "", "", ""});
  pages["tables"].push_back(sheet_table("pages", page_heads, rows, true));
  sections.push_back(std::move(pages));
  sections.push_back(numbers_section(gpus, true));
  if (gpus.size() > 1) sections.push_back(differences_section(gpus));
  return {{"sections", sections}, {"pictures", pictures_of(gpus, true)}};
}

Json gpu_sheet(const ReportedGpu& gpu) {
  Json sections = front_sections({gpu}, false);
  Json pages = sheet_section("pages", "Pages");
  pages["tables"].push_back(sheet_table("pages", page_heads, pages_section(gpu, "", false), true));
  sections.push_back(std::move(pages));
  sections.push_back(numbers_section({gpu}, false));
  sections.push_back(answers_section(gpu));
  Json device = sheet_section("device", "The GPU");
  device["facts"] = device_facts(gpu.device(), {});
  if (const std::string board = board_in_words(gpu.device()); !board.empty())
    device["facts"].push_back({"board", board});
  sections.push_back(std::move(device));
  return {{"sections", sections}, {"pictures", pictures_of({gpu}, false)}};
}

}  // namespace warpclock
