#include <fmt/format.h>

#include "base/files/marked.hpp"
#include "base/text.hpp"
#include "report/instructions/machine_pages.hpp"
#include "report/instructions/machine_parts.hpp"
#include "report/markdown/markdown_table.hpp"

namespace warpclock {
namespace {

std::string counts_in_words(const MachineTable& table) {
  const MachineCounts all = count_rows(table);
  std::vector<std::string> codes;
  for (const auto& [code, count] : all.without) codes.push_back(fmt::format("{} {}", markdown_code(code), count));
  const std::string why = codes.empty() ? "" : " (" + join(codes, ", ") + ")";
  return fmt::format(
      "{} forms: {} measured, {} without{}. {} have an issue interval, {} a latency from each source operand.\n\n",
      all.rows, all.measured, all.rows - all.measured, why, all.intervals, all.complete);
}

std::string measured(const MachineTable& table) {
  MarkdownTable out({"instruction", "latency (cycles)", "minimum stall count", "#encoded (cycles)",
                     "#issue interval (cycles)", "#one warp (cycles)"});
  for (const MachineRow& row : table.rows) {
    if (!has_numbers(row)) continue;
    out.row({markdown_code(row.text), markdown_text(machine_latencies(row)), markdown_text(least_stalls(row)),
             row.encoded ? std::to_string(*row.encoded) : "", issue_interval_text(row), one_warp_text(row)});
  }
  return out.text();
}

std::string disagreements(const MachineTable& table) {
  std::string out;
  for (const MachineRow& row : table.rows) {
    for (const std::string& finding : machine_findings(row))
      out += "- " + markdown_code(row.text) + " " + markdown_text(finding) + "\n";
  }
  return out.empty() ? out : "## Findings\n\n" + out + "\n";
}

std::string without(const MachineTable& table) {
  MarkdownTable out({"instruction", "reason"});
  for (const MachineRow& row : table.rows) {
    if (has_numbers(row)) continue;
    const Error why = why_none(row);
    out.row({markdown_code(row.text), markdown_code(why.code) + " " + markdown_text(why.message())});
  }
  return out.empty() ? "" : "## Without a number\n\n" + out.text();
}

}  // namespace

std::string render_machine_markdown(const MachineTable& table) {
  std::string out =
      fmt::format("{}\n# Machine instructions of {}\n\n", markdown_mark, markdown_text(name_of(table.device)));
  if (!table.device.arch.empty()) out += markdown_text(table.device.arch) + ". ";
  out += counts_in_words(table);
  out +=
      "Each form was composed in machine code and read back before it ran. Latency: cycles from a source operand (A is "
      "the first) to the result, the slope of a dependent chain. Minimum stall count: the smallest with which a "
      "chain still computes the right result. Encoded: the fewest cycles that ptxas puts between the instruction and "
      "one that reads its result. Issue interval: cycles between two of one sub-partition, of many warps "
      "(its reciprocal throughput); one warp: the same of a single warp.\n\n";
  return out + measured(table) + markdown_relations(table) + disagreements(table) + without(table);
}

}  // namespace warpclock
