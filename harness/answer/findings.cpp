#include "answer/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "answer/markdown_table.hpp"
#include "base/files/embedded.hpp"
#include "base/files/marked.hpp"
#include "base/text.hpp"

namespace warpclock {

void describe(YamlArchive& a, ReportedFinding& v) {
  constexpr std::optional<ClaimLimits> none;
  a.required("finding", v.name);
  WARPCLOCK_REQUIRED(says);
  WARPCLOCK_OPTIONAL(gpus, used, seen);
  a.optional("rows", v.rows, yaml::list_of(yaml::with(none)));
  if (v.rows.empty() && v.seen.empty()) a.reject("has rows, or says how it was seen");
  if (!v.rows.empty() && v.gpus.empty()) a.reject("has rows, so it names the GPUs");
}

void describe(YamlArchive& a, FindingTopic& v) {
  a.required("topic", v.name);
  WARPCLOCK_REQUIRED(findings);
}

namespace {

/// The GPUs of the finding that have records.
std::vector<std::size_t> gpus_of(const ProbeBook& book, const ReportedFinding& finding) {
  std::vector<std::size_t> all;
  for (std::size_t gpu = 0; gpu < book.labels().size(); ++gpu)
    if (std::ranges::find(finding.gpus, book.labels()[gpu]) != finding.gpus.end()) all.push_back(gpu);
  return all;
}

std::string table_of(const ProbeBook& book, const ReportedFinding& finding) {
  MarkdownTable table({"measured"});
  const std::vector<std::size_t> gpus = gpus_of(book, finding);
  for (const std::size_t gpu : gpus) table.column(book.labels()[gpu]);
  for (const ClaimRow& row : finding.rows) {
    std::vector<std::string> cells = {markdown_text(row.says)};
    for (const std::size_t gpu : gpus) cells.push_back(claim_cell(claim_values(book, gpu, row)));
    table.row(std::move(cells));
  }
  return table.text();
}

/// "*Seen:* ... (H100). *Used by:* `harness/verify/waits.cpp`."
std::string origin_of(const ReportedFinding& finding) {
  std::vector<std::string> parts;
  if (!finding.seen.empty())
    parts.push_back(
        fmt::format("*Seen{}:* {}", finding.gpus.empty() ? "" : " on " + join(finding.gpus, " and "), finding.seen));
  std::vector<std::string> files;
  std::ranges::transform(finding.used, std::back_inserter(files), markdown_code);
  if (!files.empty()) parts.push_back("*Used by:* " + join(files, ", ") + ".");
  return parts.empty() ? "" : markdown_lines(join(parts, " ")) + "\n\n";
}

std::string section_of(const ProbeBook& book, const ReportedFinding& finding) {
  return fmt::format("### {}\n\n{}\n\n{}{}", finding.name, markdown_lines(finding.says), table_of(book, finding),
                     origin_of(finding));
}

}  // namespace

Expected<std::vector<FindingTopic>> parse_findings(const std::string& file, std::string_view text) {
  return read_yaml<std::vector<FindingTopic>>(file, text, yaml::under("topics"));
}

const Expected<std::vector<FindingTopic>>& known_findings() {
  static const Expected<std::vector<FindingTopic>> known =
      parse_findings("findings.yaml", embedded_assets().at("findings.yaml"));
  return known;
}

std::vector<std::string> contradictions(const ProbeBook& book, const ReportedFinding& finding) {
  std::vector<std::string> all;
  for (const ClaimRow& row : finding.rows) {
    for (const std::size_t gpu : gpus_of(book, finding)) {
      const auto values = claim_values(book, gpu, row);
      if (fit_of(values, row.claimed) != ClaimFit::In)
        all.push_back(fmt::format("{}: {}: {} on {}, and findings.yaml says {}", finding.name, row.says,
                                  claim_cell(values), book.labels()[gpu], claim_limits_text(row)));
    }
  }
  return all;
}

std::string render_findings(const ProbeBook& book, const std::vector<FindingTopic>& topics) {
  std::string contents, sections;
  for (const FindingTopic& topic : topics) {
    contents += fmt::format("- [{}](#{})\n", topic.name, heading_fragment(topic.name));
    sections += fmt::format("## {}\n\n", topic.name);
    for (const ReportedFinding& finding : topic.findings) {
      contents += fmt::format("  - [{}](#{})\n", finding.name, heading_fragment(finding.name));
      sections += section_of(book, finding);
    }
  }
  const char* introduction =
      "Facts about GPUs, drivers, compilers and tools. A table has the numbers of the committed records, and a test "
      "holds each number to the finding. A finding without a table says how it was seen; no record has it. "
      "\"Composed\" "
      "means a window of machine instructions that the program wrote ([instructions.md](instructions.md)). Numbers are "
      "cycles unless a unit is given. `warpclock report --findings` writes this page from the records and "
      "`harness/answer/assets/findings.yaml`. What others claim is in [claims.md](claims.md).";
  while (sections.ends_with("\n\n")) sections.pop_back();
  return fmt::format("{}\n# What was found\n\n{}\n\n{}\n{}", markdown_mark, markdown_lines(introduction), contents,
                     sections);
}

}  // namespace warpclock
