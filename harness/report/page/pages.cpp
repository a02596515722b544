#include "report/page/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "answer/instructions/instruction_cells.hpp"
#include "answer/markdown_table.hpp"
#include "answer/numbers/device_words.hpp"
#include "answer/overview/overview_sheets.hpp"
#include "answer/words/page_words.hpp"
#include "answer/words/suite_words.hpp"
#include "base/escape.hpp"
#include "base/files/marked.hpp"
#include "base/json/json_writer.hpp"
#include "base/text.hpp"
#include "fleet/fleet_sheet.hpp"
#include "fleet/judge.hpp"
#include "inspect/inspection_output.hpp"
#include "record/json/record_json.hpp"
#include "report/page/page.hpp"

namespace warpclock {
namespace {

constexpr const char* search = "Search: ldmatrix.x4, cp.async, bank conflict";

}  // namespace

std::string render_suite(const Record& record, const PagePlace& place) {
  Json extras = suite_extras(record);
  PagePlace others = place;
  std::erase_if(others.links, [](const PageLink& link) { return link.gpu == same_gpu_words; });
  if (const std::string pages = pages_in_words(others); !pages.empty())
    extras["facts"].push_back({"not measured on this GPU", pages});
  return render_page(
      {.kind = "suite",
       .title = name_of(record.device) + (place.suite.empty() ? "" : ", " + place.suite),
       .lead =
           "A number is published only when its window is verified: the machine code between the two clock reads "
           "was disassembled and proven to be what the probe claims. Every row opens to that code. Rows that failed "
           "are listed with their reason.",
       .placeholder = search,
       .records = {json_of(to_json(shown_part(record)))},
       .extras = std::move(extras),
       .data = "result.json.gz",
       .place = place});
}

std::string render_instruction_html(std::span<const InstructionTable> unrounded, const PagePlace& place) {
  std::vector<InstructionTable> rounded_tables;
  for (const InstructionTable& one : unrounded) rounded_tables.push_back(rounded(one));
  Json tables = Json::array();
  std::vector<Json> records;
  std::vector<std::string> names;
  for (const InstructionTable& table : rounded_tables) {
    names.push_back(name_of(table.device));
    records.push_back(json_of(to_json(table)));
    tables.push_back(instruction_words(table, rounded_tables.front()));
  }
  return render_page(
      {.kind = "instructions",
       .title = "Instructions of " + (names.empty() ? std::string("no GPU") : join(names, ", ")),
       .lead =
           "Latency: cycles from each operand to the result. Results: of threads, per clock and SM, at the plateau. "
           "Interval: cycles between warp instructions of a scheduler. A number is given only where the machine "
           "code that was timed is verified. ! marks a finding; open the row to read it.",
       .placeholder = "Search: fma f32, IMAD.WIDE, rejected ...",
       .records = std::move(records),
       .extras = {{"tables", tables}},
       .data = unrounded.size() == 1 ? "instructions.json.gz" : "",
       .place = place});
}

std::string render_machine_html(const MachineTable& unrounded, const PagePlace& place) {
  const MachineTable table = rounded(unrounded);
  const MachineCounts all = count_rows(table);
  return render_page(
      {.kind = "machine",
       .title = "Machine instructions of " + name_of(table.device),
       .lead = fmt::format(
           "{} forms; {} have an issue interval, {} a latency from each source operand. Each was composed in machine "
           "code and read back before it ran. Latency: cycles from a source operand (A is the first) to the result. "
           "Minimum stall count: the smallest stall count with which a chain still computes the right result. Encoded: "
           "the fewest cycles that ptxas puts between the instruction and one that reads its result. Interval: cycles "
           "between two of one sub-partition, of many warps; one warp: of a single one. ! marks a finding; open the "
           "row to read it.",
           all.rows, all.intervals, all.complete),
       .placeholder = "Search: HMMA, IMAD.WIDE, scoreboard ...",
       .records = {json_of(to_json(shown_part(table)))},
       .extras = machine_words(table),
       .data = "machine.json.gz",
       .place = place});
}

std::string render_kernel_html(const KernelTable& table, const PagePlace& place) {
  return render_page({.kind = "cases",
                      .title = kernel_title(table),
                      .lead = fmt::format("Costs of {}. {}, commit {}.", table.model,
                                          table.provenance.date.substr(0, 10), table.provenance.commit.substr(0, 12)),
                      .placeholder = search,
                      .extras = kernel_words(table),
                      .data = "cases.json.gz",
                      .place = place});
}

std::string render_index(const std::vector<ReportedGpu>& gpus, const PagePlace& place) {
  return render_page({.kind = "sheet",
                      .title = "Measured GPUs",
                      .lead =
                          "Cycles of instructions and memory accesses. Every number has machine code that was proven "
                          "to be what it claims, and leads to it.",
                      .placeholder = search,
                      .extras = index_sheet(gpus),
                      .place = place});
}

std::string render_gpu(const ReportedGpu& gpu, const PagePlace& place) {
  return render_page({.kind = "sheet",
                      .title = gpu.name() + ", overview",
                      .lead = "Each number leads to the probe that found it.",
                      .placeholder = search,
                      .extras = gpu_sheet(gpu),
                      .place = place});
}

std::string render_fleet(const Fleet& fleet, const GateResult* gate) {
  return render_page(
      {.kind = "fleet",
       .title =
           fmt::format("{}, {}, {}", counted(std::ssize(fleet.gpus), "GPU"), counted(std::ssize(fleet.models), "model"),
                       counted(static_cast<std::int64_t>(fleet.records), "record")),
       .lead = fmt::format(
           "A red GPU has an outlier or a row that was rejected or failed; an orange one was throttled or has memory "
           "errors. An outlier is further from the median of its model than chance explains once in {:.0f} such "
           "fleets, and further than two runs on one GPU differ. In the drawing, a bar covers three sigmas on either "
           "side of the median, the thin line all values, the marks are the limits, and the dots are outliers.",
           1 / false_alarm),
       .extras = {{"fleet", fleet_json(fleet, gate)}}});
}

std::string render_inspection(const Inspection& inspection) {
  return render_page({.kind = "inspect",
                      .title = inspection.file,
                      .lead = kind_text(inspection),
                      .extras = inspection_words(inspection)});
}

std::string render_predictions(const std::vector<Prediction>& predictions) {
  const bool named = !predictions.empty() && !predictions.front().file.empty();
  return render_page(
      {.kind = "predict",
       .title = named ? predictions.front().file : "Prediction",
       .lead = "predicted with the measured costs of " + (predictions.empty() ? "" : predictions.front().gpu),
       .extras = prediction_words(predictions)});
}

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

/// A section of a sheet (answer/overview/overview_sheets.hpp).
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
