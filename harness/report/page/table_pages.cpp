#include "report/page/table_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "record/json/record_json.hpp"
#include "record/outcome.hpp"
#include "report/instructions/instruction_cells.hpp"
#include "report/instructions/instruction_guide.hpp"
#include "report/instructions/machine_parts.hpp"
#include "report/page/page.hpp"

namespace warpclock {
namespace {

/// Without what is empty.
Json object(const std::vector<std::pair<const char*, Json>>& members) {
  Json out = Json::object();
  for (const auto& [name, value] : members)
    if (!value.empty() && !(value.is_string() && value.get_ref<const std::string&>().empty())) out[name] = value;
  return out;
}

Json guide_words(const GuideComparison& guide) {
  if (guide.title.empty()) return {};
  Json lines = Json::array();
  for (const GuideRowLines& row : guide_rows(guide)) {
    std::string name = row.name, note = guide_note(row);
    for (const GuideLine* line : row.lines) {
      const GuideCells cells = guide_cells(*line);
      lines.push_back({name, line->operation, line->id, cells.documented, cells.measured, cells.interval, cells.ratio,
                       cells.verdict, note});
      name.clear(), note.clear();
    }
  }
  return {{"title", guide.title}, {"summary", guide_summary(guide)}, {"lines", lines}};
}

}  // namespace

Json instruction_words(const InstructionTable& table) {
  Json rows = Json::array(), counts = Json::array();
  for (const InstructionRecord& row : table.rows) {
    const auto products = multiply_adds(row);
    std::string opcodes = opcode_groups(row.became, "\xC3\x97");
    for (const std::string& label : labels_of(row))
      if (label.starts_with("alternates ")) opcodes += ", " + label;
    rows.push_back(object({{"latency", latency_groups(row)},
                           {"opcodes", opcodes},
                           {"labels", labels_of(row)},
                           {"window", rate_window(row)},
                           {"products", products ? human_number(*products, 4) : ""}}));
  }
  for (const Outcome outcome : outcomes) {
    const auto count = std::ranges::count(table.rows, outcome, &InstructionRecord::outcome);
    if (worth_telling(outcome, count)) counts.push_back({word(outcome), count});
  }
  return object(
      {{"name", name_of(table.device)}, {"rows", rows}, {"counts", counts}, {"guide", guide_words(table.guide)}});
}

std::string render_instruction_html(std::span<const InstructionTable> unrounded, const PagePlace& place) {
  Page page;
  Json tables = Json::array();
  std::vector<std::string> names;
  for (const InstructionTable& one : unrounded) {
    const InstructionTable table = rounded(one);
    names.push_back(name_of(table.device));
    page.records.push_back(Json::parse(to_json(table)));
    tables.push_back(instruction_words(table));
  }
  page.kind = "instructions";
  page.title = "Instructions of " + (names.empty() ? std::string("no GPU") : join(names, ", "));
  page.lead =
      "Latency: cycles from each operand to the result. Results: of threads, per clock and SM, at the plateau. "
      "Interval: "
      "cycles between warp instructions of a scheduler. A number is given only where the machine code that was timed "
      "is "
      "verified. ! marks a finding; open the row to read it.";
  page.placeholder = "Search: fma f32, IMAD.WIDE, rejected ...";
  page.extras = {{"tables", tables}};
  if (unrounded.size() == 1) page.data = "instructions.json.gz";
  page.place = place;
  return render_page(page);
}

Json machine_words(const MachineTable& table) {
  Json rows = Json::array(), counts = Json::array();
  for (const MachineRow& row : table.rows) {
    const bool any = has_numbers(row);
    const Error why = any ? Error{} : why_none(row);
    rows.push_back(object({{"latency", machine_latencies(row)},
                           {"interval", issue_interval_text(row)},
                           {"code", why.code},
                           {"why", any ? "" : why.message()}}));
  }
  const MachineCounts all = count_rows(table);
  counts.push_back({"measured", all.measured});
  for (const auto& [code, count] : all.without) counts.push_back({code, count, "rejected"});
  return object({{"rows", rows}, {"counts", counts}});
}

namespace {

/// Without the cells of relations that no table of the page shows; they are in machine.json.gz.
MachineTable shown(MachineTable table) {
  for (auto* studies : {&table.pairs, &table.banks, &table.with_multiplies})
    for (IssueStudy& study : *studies) study.cells.clear();
  for (IssueStudy& study : table.between_warps) {
    std::erase_if(study.cells, [](const IssueCell& cell) { return cell.yield; });
    for (IssueCell& cell : study.cells) cell.curve.clear();
  }
  return table;
}

}  // namespace

std::string render_machine_html(const MachineTable& unrounded, const PagePlace& place) {
  const MachineTable table = rounded(unrounded);
  const MachineCounts all = count_rows(table);
  Page page;
  page.kind = "machine";
  page.title = "Machine instructions of " + name_of(table.device);
  page.lead = fmt::format(
      "{} forms; {} have an issue interval, {} a latency from each source operand. Each was composed in machine code "
      "and "
      "read back before it ran. Latency: cycles from a source operand (A is the first) to the result. Minimum stall "
      "count: the smallest stall count with which a chain still computes the right result. Encoded: the fewest cycles "
      "that ptxas puts between the instruction and one that reads its result. Interval: cycles between two of one "
      "sub-partition, of many warps; one warp: of a single one. ! marks a finding; open the row to read it.",
      all.rows, all.intervals, all.complete);
  page.placeholder = "Search: HMMA, IMAD.WIDE, scoreboard ...";
  page.records = {Json::parse(to_json(shown(table)))};
  page.extras = machine_words(table);
  page.data = "machine.json.gz";
  page.place = place;
  return render_page(page);
}

}  // namespace warpclock
