#include "answer/words/table_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "answer/instructions/instruction_cells.hpp"
#include "answer/instructions/instruction_guide.hpp"
#include "answer/instructions/machine_parts.hpp"
#include "answer/instructions/timed_code.hpp"
#include "answer/numbers/device_words.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "record/outcome.hpp"

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

Json instruction_words(const InstructionTable& table, const InstructionTable& first) {
  std::map<std::string_view, const InstructionRecord*> of_first;
  for (const InstructionRecord& row : first.rows) of_first.emplace(row.id, &row);
  Json rows = Json::array(), counts = Json::array();
  for (const InstructionRecord& row : table.rows) {
    const auto products = multiply_adds(row);
    std::string opcodes = opcode_groups(row.became, "\xC3\x97");
    for (const std::string& label : labels_of(row))
      if (label.starts_with("alternates ")) opcodes += ", " + label;
    const auto before = of_first.find(row.id);
    const std::string apart =
        before == of_first.end() ? "" : other_code_in_words({table, row}, {first, *before->second});
    rows.push_back(object({{"latency", latency_groups(row)},
                           {"opcodes", opcodes},
                           {"labels", labels_of(row)},
                           {"window", rate_window(row)},
                           {"other_code", apart},
                           {"products", products ? human_number(*products, 4) : ""}}));
  }
  for (const Outcome outcome : outcomes) {
    const auto count = std::ranges::count(table.rows, outcome, &InstructionRecord::outcome);
    if (worth_telling(outcome, count)) counts.push_back({word(outcome), count});
  }
  return object(
      {{"name", name_of(table.device)}, {"rows", rows}, {"counts", counts}, {"guide", guide_words(table.guide)}});
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

MachineTable shown_part(MachineTable table) {
  for (auto* studies : {&table.pairs, &table.banks, &table.with_multiplies})
    for (IssueStudy& study : *studies) study.cells.clear();
  for (IssueStudy& study : table.between_warps) {
    std::erase_if(study.cells, [](const IssueCell& cell) { return cell.yield; });
    for (IssueCell& cell : study.cells) cell.curve.clear();
  }
  return table;
}

}  // namespace warpclock
