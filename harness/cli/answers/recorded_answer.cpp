#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "answer/instructions/instruction_cells.hpp"
#include "base/escape.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "cli/answers/answers.hpp"
#include "fields/form_table.hpp"
#include "ptx/describe.hpp"
#include "record/outcome.hpp"

namespace warpclock {
namespace {

/// "linked by SEL: 4 cycles subtracted" is what a record notes as "via SEL (4 cycles, encoded)".
std::string note_in_words(const std::string& note) {
  constexpr std::string_view via = "via ", encoded = " cycles, encoded)";
  std::vector<std::string> parts = split(replace_all(note, "; ", "\n"), '\n');
  for (std::string& part : parts) {
    if (!part.starts_with(via)) continue;
    std::vector<std::pair<std::string, double>> links;
    for (const std::string& link : split(replace_all(part.substr(via.size()), "), ", ")\n"), '\n')) {
      const std::size_t at = link.rfind(" (");
      if (at == std::string::npos || !link.ends_with(encoded)) return note;
      const std::string cycles = link.substr(at + 2, link.size() - encoded.size() - at - 2);
      links.emplace_back(link.substr(0, at), std::strtod(cycles.c_str(), nullptr));
    }
    part = links_in_words(links);
  }
  return join(parts, "; ");
}

/// A number of cycles, or of results.
std::string line(const Estimate& estimate) {
  std::string text = fmt::format("  {:<16} {:.2f} {}", estimate.name, estimate.value, estimate.unit);
  if (estimate.high - estimate.low >= 0.05) text += fmt::format("  [{:.2f}, {:.2f}]", estimate.low, estimate.high);
  return text + (estimate.note.empty() ? "" : "  (" + note_in_words(estimate.note) + ")") + "\n";
}

/// "results", or what else a rate of the row counts.
std::string counted_as(const InstructionRecord& row) {
  static const auto table = opcode_table();
  const auto line = parse_ptx(row.ptx);
  if (!table || !line) return "results";
  const auto instruction = describe(*line, *table);
  return instruction ? counted_as(*instruction) : "results";
}

bool is_rate(const Estimate& estimate) {
  return estimate.name == "throughput" || estimate.name == "interval" || estimate.name == "saturation" ||
         estimate.name == "issue";
}

/// ", 28.0 for 8": what as many warps of an SM spend on one each, if it has no result.
std::string of_eight_warps(const InstructionRecord& row) {
  constexpr int warps = 8, lanes = 32;
  const ThroughputPoint* point = find_by(row.curve, warps, &ThroughputPoint::warps);
  if (point == nullptr || point->rate <= 0 || counted_as(row) == "results") return {};
  return fmt::format(", {:.1f} for {}", warps * lanes / point->rate, warps);
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

std::string numbers_text(const InstructionRecord& row) {
  std::string text;
  for (const Estimate& estimate : row.estimates)
    if (!is_rate(estimate)) text += line(estimate);
  return text;
}

std::string forms_text(const InstructionRecord& row) {
  std::string text;
  for (const std::string& form : row.forms) text += fmt::format("  {:<16} {}\n", text.empty() ? "form" : "or", form);
  return text;
}

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

std::string recorded_text(const AskedLine& asked, const RecordedAnswer& answer, const Subject* subject,
                          const Style& style) {
  const auto& [provenance, device, rows, guide] = answer.from->table;
  const InstructionRecord& row = *answer.row;
  std::string text =
      fmt::format("{}: {} ({})\n", title_of(asked), style.bold(headline(row)), measured_when(device, provenance));
  if (subject != nullptr) text += form_text(asked, *subject, style);
  if (subject == nullptr) text += fmt::format("  {:<16} {}\n", "ptx", style.dim(row.ptx));
  if (!answer.because.empty())
    text += fmt::format("  {:<16} {}  {}\n", "answered by", row.ptx, style.dim("(" + answer.because + ")"));
  text += numbers_text(row);
  if (subject != nullptr) text += not_measured_text(subject->instruction, row, style);
  text += rates_text(row, counted_as(row), style);
  text += fmt::format("  {:<16} {}: {}\n", "machine code", row.arch, opcode_groups(row.became, "x"));
  text += forms_text(row);
  for (const std::string& label : labels_of(row)) text += fmt::format("  {:<16} {}\n", "note", label);
  for (const std::string& finding : row.findings) text += fmt::format("  {:<16} {}\n", "finding", finding);
  for (const std::string& one : answer.differs) text += fmt::format("  {:<16} {}\n", "differs", one);
  const std::string of =
      answer.made ? "its form, in " + answer.made_of
                  : fmt::format("{} of {}, commit {}", row.id, answer.from->file, provenance.commit.substr(0, 8));
  text += style.dim(fmt::format("  {:<16} {}", "row", of)) + "\n";
  return text;
}

std::string others_text(const std::vector<std::string>& others, const Style& style) {
  constexpr std::size_t most = 6;
  if (others.empty()) return {};
  const std::size_t shown = std::min(others.size(), most);
  std::vector<std::string> names(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(shown));
  if (others.size() > shown) names.push_back(fmt::format("{} more", others.size() - shown));
  return fmt::format("  {:<16} {}\n", "also", style.dim(join(names, ", ")));
}

std::string named_text(const AskedLine& asked, const NamedRows& named, const Style& style) {
  constexpr std::size_t most = 24;
  const auto& [provenance, device, rows, guide] = named.from->table;
  std::string text = fmt::format("{}: {} rows have this name ({})\n", title_of(asked),
                                 style.bold(std::to_string(named.rows.size())), measured_when(device, provenance));
  std::size_t width = 0;
  for (const InstructionRecord* row : named.rows) width = std::max(width, plain_ptx(row->ptx).size());
  for (std::size_t i = 0; i < std::min(named.rows.size(), most); ++i) {
    const InstructionRecord& row = *named.rows[i];
    const Estimate* rate = published(row, "throughput");
    text += fmt::format("  {:<{}}  {}  {:<38} {}\n", plain_ptx(row.ptx), width,
                        style.bold(fmt::format("{:<24}", headline(row))),
                        rate == nullptr ? "" : fmt::format("{:.1f} {}/clk/SM", rate->value, counted_as(row)),
                        style.dim(one_line(opcode_groups(row.became, "x"), 60)));
  }
  if (named.rows.size() > most) text += fmt::format("  {} more: give more of the name\n", named.rows.size() - most);
  text += others_text(named.others, style);
  return text +
         style.dim(fmt::format("  {:<16} {}, commit {}", "rows of", named.from->file, provenance.commit.substr(0, 8))) +
         "\n";
}

nlohmann::ordered_json recorded_json(const AskedLine& asked, const RecordedAnswer& answer, const Subject* subject) {
  const auto& [provenance, device, rows, guide] = answer.from->table;
  const InstructionRecord& row = *answer.row;
  nlohmann::ordered_json out = asked_json(asked);
  out["answer"] = headline(row);
  out["by"] = measured_when(device, provenance);
  out["ptx"] = row.ptx;
  out["arch"] = row.arch;
  out["outcome"] = word(row.outcome);
  out["became"] = row.became;
  if (!row.forms.empty()) out["forms"] = row.forms;
  out["labels"] = labels_of(row);
  out["pipes"] = row.pipes;
  out["constants"] = subject == nullptr ? nlohmann::ordered_json::array() : constants_json(*subject);
  out["recorded"] = {{"gpu", device.name},        {"date", provenance.date}, {"commit", provenance.commit},
                     {"file", answer.from->file}, {"row", row.id},           {"ptx", row.ptx}};
  if (answer.made) out["recorded"]["made_of"] = answer.made_of;
  if (!answer.because.empty()) out["recorded"]["because"] = answer.because;
  if (!answer.differs.empty()) out["differs"] = answer.differs;
  out["estimates"] = nlohmann::ordered_json::array();
  for (const Estimate& estimate : row.estimates) out["estimates"].push_back(json_of(estimate));
  if (subject != nullptr) out["not_measured"] = not_measured_json(subject->instruction, row);
  out["findings"] = row.findings;
  if (row.clock.sm_mhz > 0) out["sm_mhz"] = row.clock.sm_mhz;
  return out;
}

}  // namespace warpclock
