#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/files/marked.hpp"
#include "base/text.hpp"
#include "record/outcome.hpp"
#include "report/instructions/instruction_cells.hpp"
#include "report/instructions/instruction_guide.hpp"
#include "report/instructions/instruction_pages.hpp"
#include "report/markdown/markdown_table.hpp"

namespace warpclock {
namespace {

std::string number(const Estimate* estimate, int digits) {
  return estimate && std::isfinite(estimate->value) ? human_number(estimate->value, digits) : std::string();
}

/// "21.33 (1365 FMA)"
std::string throughput(const InstructionRecord& row) {
  const auto products = multiply_adds(row);
  return number(published(row, "throughput"), 4) +
         (products ? fmt::format(" ({} FMA)", human_number(*products, 4)) : std::string());
}

std::string became(const InstructionRecord& row) {
  std::string out = markdown_code(opcode_groups(row.became, "\xC3\x97"));
  if (const auto labels = labels_of(row); !labels.empty())
    out += (out.empty() ? "" : "; ") + markdown_text(join(labels, "; "));
  return out;
}

std::string measured(const InstructionFamily& family) {
  MarkdownTable table(
      {"instruction", "latency (cycles)", "#results/clk/SM", "window", "#interval (cycles)", "pipe", "SASS"});
  for (const InstructionRecord* row : family.rows) {
    if (row->outcome != Outcome::Measured) continue;
    table.row({markdown_code(plain_ptx(row->ptx)), markdown_text(latency_groups(*row)), throughput(*row),
               markdown_text(rate_window(*row)), number(published(*row, "interval"), 4),
               markdown_text(join(row->pipes, " ")), became(*row)});
  }
  return table.text();
}

std::string refused(const InstructionFamily& family) {
  MarkdownTable table({"instruction", "outcome", "reason"});
  for (const InstructionRecord* row : family.rows) {
    if (row->outcome == Outcome::Measured) continue;
    table.row({markdown_code(plain_ptx(row->ptx)), std::string(word(row->outcome)),
               markdown_code(row->reason.code) + " " + markdown_text(row->reason.text)});
  }
  return table.text();
}

std::string outcome_counts(const InstructionTable& table) {
  std::vector<std::string> pieces;
  for (const Outcome outcome : outcomes) {
    const auto count = std::ranges::count(table.rows, outcome, &InstructionRecord::outcome);
    if (worth_telling(outcome, count)) pieces.push_back(fmt::format("{} {}", count, word(outcome)));
  }
  return fmt::format("{} instructions: {}.\n\n", table.rows.size(), join(pieces, ", "));
}

std::string findings(const InstructionTable& table) {
  std::string out;
  for (const InstructionRecord& row : table.rows) {
    for (const std::string& finding : row.findings) {
      out += "- " + markdown_code(row.id) + " " + markdown_text(finding) + "\n";
    }
  }
  return out.empty() ? out : "## Findings\n\n" + out;
}

/// The rows of the guide next to the measurements of each of their operations.
std::string against_guide(const GuideComparison& guide) {
  if (guide.title.empty()) return "";
  std::string out = "## Against the guide\n\nResults per clock and SM as NVIDIA documents them (" +
                    markdown_text(guide.title) + "), and as measured: " + markdown_text(guide_summary(guide)) + ".\n\n";
  MarkdownTable table(
      {"row", "operation", "counterpart", "#guide", "#measured", "#interval", "#ratio", "verdict", "note"});
  for (const GuideRowLines& row : guide_rows(guide)) {
    std::string name = markdown_text(row.name), note = markdown_text(guide_note(row));
    for (const GuideLine* line : row.lines) {
      const GuideCells cells = guide_cells(*line);
      table.row({name, markdown_text(line->operation), markdown_code(line->id), cells.documented, cells.measured,
                 cells.interval, cells.ratio, markdown_text(cells.verdict), note});
      name.clear(), note.clear();
    }
  }
  return out + table.text();
}

}  // namespace

std::string render_instruction_markdown(const InstructionTable& table) {
  std::string out = fmt::format("{}\n# Instructions of {}\n\n", markdown_mark, markdown_text(name_of(table.device)));
  if (!table.device.arch.empty()) out += markdown_text(table.device.arch) + ". ";
  out += outcome_counts(table);
  out +=
      "Latency: cycles from each input operand to the output, the slope of a dependent chain. Results: threads' "
      "results "
      "per clock and SM at the plateau. Interval: cycles between warp instructions of one scheduler. A number is given "
      "only where the timed machine code was verified.\n\n"
      "Window: composed if the copies are those of the machine code of one instance, which warpclock placed one after "
      "another; otherwise they are as the compiler left them.\n\n";
  for (const InstructionFamily& family : families(table)) {
    out += "## " + markdown_text(family.name) + "\n\n" + measured(family) + refused(family);
  }
  return out + against_guide(table.guide) + findings(table);
}

}  // namespace warpclock
