#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "answer/instructions/instruction_cells.hpp"
#include "base/escape.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "cli/answers/answer_facts.hpp"
#include "fields/form_table.hpp"
#include "ptx/describe.hpp"
#include "record/outcome.hpp"

namespace warpclock {
namespace {

/// "results", or what else a rate of the row counts.
std::string counted_as(const InstructionRecord& row) {
  static const auto table = opcode_table();
  const auto line = parse_ptx(row.ptx);
  if (!table || !line) return "results";
  const auto instruction = describe(*line, *table);
  return instruction ? counted_as(*instruction) : "results";
}

/// ", 28.0 for 8": what as many warps of an SM spend on one each, if it has no result.
std::string of_eight_warps(const InstructionRecord& row) {
  constexpr int warps = 8, lanes = 32;
  const ThroughputPoint* point = find_by(row.curve, warps, &ThroughputPoint::warps);
  if (point == nullptr || point->rate <= 0 || counted_as(row) == "results") return {};
  return fmt::format(", {:.1f} for {}", warps * lanes / point->rate, warps);
}

/// "ld.global.nc.b32, 190 more"
std::string shortened(const std::vector<std::string>& others) {
  constexpr std::size_t most = 6;
  std::vector<std::string> names(others.begin(),
                                 others.begin() + static_cast<std::ptrdiff_t>(std::min(others.size(), most)));
  if (others.size() > most) names.push_back(fmt::format("{} more", others.size() - most));
  return join(names, ", ");
}

/// "4.0 cycles"
std::string cycles_in_words(const InstructionRecord& row) {
  const std::vector<OperandLatency> all = latencies(row);
  const auto same = [&](const OperandLatency& one) { return one.measured->value == all.front().measured->value; };
  if (!all.empty() && std::ranges::all_of(all, same)) return fmt::format("{:.1f} cycles", all.front().measured->value);
  if (!all.empty()) return latency_groups(row) + " cycles";
  // Without a result nothing waits: what a warp spends on each is what is asked for.
  if (const Estimate* issue = published(row, "issue"))
    return fmt::format("{:.1f} cycles for one warp", issue->value) + of_eight_warps(row);
  const Estimate* interval = published(row, "interval");
  return interval == nullptr ? "no latency" : fmt::format("one warp instruction every {:.1f} cycles", interval->value);
}

}  // namespace

std::string headline(const InstructionRecord& row) {
  if (row.forms.size() <= 1) return cycles_in_words(row);
  std::vector<std::string> names;
  for (const std::string& form : row.forms) names.push_back(name_in(form));
  const std::vector<std::string> others(names.begin() + 1, names.end());
  return fmt::format("{} as {}; ptxas alternates it with {}", cycles_in_words(row), names.front(), join(others, ", "));
}

std::string counted_as(const PtxInstruction& instruction) {
  if (instruction.is_block()) return "threads' blocks";
  const auto is_result = [](const Operand& one) { return one.written && one.immediate.empty() && !one.address; };
  return std::ranges::any_of(instruction.operands, is_result) ? "results" : "thread instructions";
}

Sheet recorded_sheet(const AskedLine& asked, const RecordedAnswer& answer, const Subject* subject,
                     const std::vector<std::string>& others) {
  const auto& [provenance, device, rows, guide] = answer.from->table;
  const InstructionRecord& row = *answer.row;
  Sheet sheet = answer_sheet(asked, headline(row), measured_when(device, provenance));
  add(sheet, ptx_facts(asked, subject, row));
  if (!answer.because.empty()) sheet.facts.push_back(for_people("answered by", row.ptx + "  (" + answer.because + ")"));
  sheet.facts.push_back(for_programs("outcome", word(row.outcome)));
  add(sheet, number_facts(row));
  add(sheet, row_facts(row, subject, counted_as(row), Audience::Programs));
  if (!answer.differs.empty()) sheet.facts.push_back(listed("differs", "", answer.differs));
  Json recorded = {{"gpu", device.name},        {"date", provenance.date}, {"commit", provenance.commit},
                   {"file", answer.from->file}, {"row", row.id},           {"ptx", row.ptx}};
  if (answer.made) recorded["made_of"] = answer.made_of;
  if (!answer.because.empty()) recorded["because"] = answer.because;
  const std::string of =
      answer.made ? "its form, in " + answer.made_of
                  : fmt::format("{} of {}, commit {}", row.id, answer.from->file, provenance.commit.substr(0, 8));
  sheet.facts.push_back({"recorded", "row", {of, std::move(recorded)}});
  if (!others.empty()) sheet.facts.push_back({"also", "", {shortened(others), Json(others)}});
  return sheet;
}

Sheet named_sheet(const AskedLine& asked, const NamedRows& named, const NamedRows& first) {
  constexpr std::size_t most = 24;
  const auto& [provenance, device, rows, guide] = named.from->table;
  Table table{.key = "named",
              .title = fmt::format("{}: {} rows have this name ({})", title_of(asked), named.rows.size(),
                                   measured_when(device, provenance)),
              .columns = columns({"ptx", "answer", "throughput", "became"}),
              .headed = false};
  for (const InstructionRecord* row : named.rows) {
    if (table.rows.size() == most) break;
    const Estimate* rate = published(*row, "throughput");
    table.rows.push_back({plain_ptx(row->ptx), headline(*row),
                          rate == nullptr ? "" : fmt::format("{:.1f} {}/clk/SM", rate->value, counted_as(*row)),
                          one_line(opcode_groups(row->became, "x"), 60)});
  }
  if (named.rows.size() > most)
    table.notes.push_back(fmt::format("{} more: give more of the name", named.rows.size() - most));
  std::vector<std::string> apart;
  for (const InstructionRecord* row : named.rows) {
    const auto* other = find_by(first.from->table.rows, row->id, &InstructionRecord::id);
    const bool other_code =
        other != nullptr && !of_other_code({named.from->table, *row}, {first.from->table, *other}).empty();
    if (other_code) apart.push_back(row->id.substr(row->id.find('/') + 1));
  }
  if (!apart.empty())
    table.notes.push_back(fmt::format("other code than on the {}, so no difference of the GPUs: {}",
                                      short_name(first.from->table.device), shortened(apart)));
  if (!named.others.empty()) table.notes.push_back("also     " + shortened(named.others));
  table.notes.push_back(fmt::format("rows of  {}, commit {}", named.from->file, provenance.commit.substr(0, 8)));
  return {.tables = {std::move(table)}};
}

}  // namespace warpclock
