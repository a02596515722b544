#include "answer/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "answer/markdown_table.hpp"
#include "answer/numbers/figures.hpp"
#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/files/marked.hpp"
#include "base/text.hpp"

namespace warpclock {

namespace {

constexpr const char* measured_arch = "sm_90a";  // what claims_code_test.cpp compiles for

/// The place of a number's row. The relations of machine instructions have no places of their own.
std::string link_of(const ProbeBook& book, std::size_t gpu, const Selector& selector, const Selected& one) {
  const std::string folder = percent_encoded(book.gpus()[gpu].folder), at = "#i=" + percent_encoded(one.name);
  switch (selector.kind) {
    case Selector::Kind::Instruction:
      return folder + "/instructions.html" + at;
    case Selector::Kind::Form:
      return folder + "/machine.html" + (one.name.starts_with('@') ? at : "");
    case Selector::Kind::Kernel:
      return folder + "/cases.html";
    default:
      return book.case_link(gpu, *one.cases.front());
  }
}

std::string number_text(double value, bool ratio) {
  if (ratio) return fmt::format("{:.{}f}", value, value < 10 ? 2 : 1);
  return value >= 1000 ? fixed(value, 0) : fmt::format("{:.3g}", value);
}

}  // namespace

ClaimLimits read_claim_limits(const Node& node) {
  const std::vector<Node> ends = node.items();
  if (ends.empty() || ends.size() > 2) node.reject("is [low, high], or [low]");
  ClaimLimits limits;
  if (!ends.empty()) limits.low = ends.front().number();
  if (ends.size() == 2) limits.high = ends.back().number();
  return limits;
}

void describe(YamlArchive& a, ClaimRow& v, const std::optional<ClaimLimits>& claimed) {
  using Kind = Selector::Kind;
  static const SelectorKeys rows{.kinds = {Kind::Cases, Kind::Half, Kind::Instruction, Kind::Form, Kind::Kernel},
                                 .of_rows = true};
  a.required("says", v.says);
  a.optional("of", v.of, yaml::with(rows));
  a.optional("by", v.by, yaml::with(rows));
  ClaimCode code;
  a.optional("code", code.source);
  a.optional("kernel", code.kernel);
  a.optional("target", code.target);
  a.optional("has", code.has);
  a.optional("times", code.times);
  v.claimed = claimed.value_or(ClaimLimits());
  a.optional("claimed", v.claimed, yaml::custom(read_claim_limits));
  if (!claimed) a.need({"claimed"});
  if (a.has("code")) {
    a.need({"kernel", "has", "times"});
    v.code = code;
  } else {
    a.need({"of"});
  }
}

std::vector<Selected> selected(const ProbeBook& book, std::size_t gpu, const Selector& selector) {
  const ReportedGpu& of = book.gpus()[gpu];
  const auto in = [&](const auto* table) {
    return table == nullptr ? std::vector<Selected>() : selected(*table, selector);
  };
  const auto kernels = of.kernels.find("");
  switch (selector.kind) {
    case Selector::Kind::Instruction:
      return in(of.table);
    case Selector::Kind::Form:
      return in(of.machine);
    case Selector::Kind::Kernel:
      return in(kernels == of.kernels.end() ? nullptr : kernels->second);
    default:
      return in(book.has(selector.probe) ? book.places(selector.probe)[gpu].record : nullptr);
  }
}

std::vector<ClaimValue> claim_values(const ProbeBook& book, std::size_t gpu, const ClaimRow& row) {
  if (row.code) {
    if (book.gpus()[gpu].device().arch != measured_arch) return {};
    return {{row.code->times, "count", ""}};
  }
  static const Parameters none;
  std::vector<ClaimValue> all;
  for (const Selected& one : selected(book, gpu, *row.of)) {
    const Parameters& parameters = one.parameters != nullptr ? *one.parameters : none;
    all.push_back({one.value, one.unit, link_of(book, gpu, *row.of, one)});
    if (!row.by) continue;
    const auto selector = bound_to(parameters, *row.by);
    const auto by = selector ? selected(book, gpu, *selector) : std::vector<Selected>();
    if (by.size() != 1) return {};
    all.back().value /= by.front().value, all.back().unit = "x";
  }
  return all;
}

ClaimFit fit_of(const std::vector<ClaimValue>& values, const ClaimLimits& claimed) {
  if (values.empty()) return ClaimFit::Missing;
  const auto inside = std::ranges::count_if(
      values, [&](const ClaimValue& one) { return one.value >= claimed.low && one.value <= claimed.high; });
  return inside == std::ssize(values) ? ClaimFit::In : inside == 0 ? ClaimFit::Out : ClaimFit::Mixed;
}

std::string claim_cell(const std::vector<ClaimValue>& values) {
  if (values.empty()) return "not measured yet";
  const auto [least, most] = std::ranges::minmax_element(values, {}, &ClaimValue::value);
  const bool ratio = least->unit == "x";
  std::string text = number_text(least->value, ratio);
  if (const std::string end = number_text(most->value, ratio); end != text) text += " to " + end;
  const std::string unit = least->unit == "count"                   ? ""
                           : text == "1" && least->unit == "cycles" ? "cycle"
                                                                    : unit_text(least->unit);
  text += ratio ? "x" : unit.empty() ? "" : " " + markdown_text(unit);
  return least->link.empty() ? text : fmt::format("[{}](../reports/{})", text, least->link);
}

std::string claim_limits_text(const ClaimRow& row) {
  const bool ratio = row.by.has_value();
  const auto [low_end, high_end] = row.claimed;
  const std::string low = number_text(low_end, ratio), high = number_text(high_end, ratio);
  if (high_end == std::numeric_limits<double>::infinity()) return low + " or more";
  return low == high ? low : low + " to " + high;
}

void describe(YamlArchive& a, ReportedClaim& v) {
  std::optional<ClaimLimits> claimed;
  a.required("claim", v.name);
  WARPCLOCK_REQUIRED(says, condition, command);
  a.required("claimed", claimed, yaml::custom(read_claim_limits));
  const auto rows = yaml::list_of(yaml::with(claimed));
  a.optional("holds", v.holds, rows);
  a.optional("fails", v.fails, rows);
  a.optional("by_gpu", v.by_gpu, rows);
  a.optional("beside", v.beside, rows);
}

namespace {

std::vector<const ClaimRow*> judged(const ReportedClaim& claim) {
  std::vector<const ClaimRow*> rows;
  for (const auto* list : {&claim.holds, &claim.by_gpu, &claim.fails})
    for (const ClaimRow& row : *list) rows.push_back(&row);
  return rows;
}

std::string verdict_of(const ProbeBook& book, const ReportedClaim& claim) {
  std::set<ClaimFit> fits;
  for (const ClaimRow* row : judged(claim))
    for (std::size_t gpu = 0; gpu < book.gpus().size(); ++gpu)
      fits.insert(fit_of(claim_values(book, gpu, *row), row->claimed));
  if (fits.empty() || fits.contains(ClaimFit::Missing)) return "not measured yet";
  if (fits == std::set{ClaimFit::In}) return "confirmed";
  return fits == std::set{ClaimFit::Out} ? "refuted" : "only under a condition";
}

/// What all judged rows must be, or nothing: then each row says it.
std::string common_limits(const ReportedClaim& claim) {
  std::set<std::string> all;
  for (const ClaimRow* row : judged(claim)) all.insert(claim_limits_text(*row));
  return all.size() == 1 ? *all.begin() : "";
}

void add_row(const ProbeBook& book, const ClaimRow& row, bool judge, bool limits, MarkdownTable& table) {
  constexpr std::array<const char*, 4> words = {"", "yes", "no", "in part"};
  std::vector<std::string> cells = {markdown_text(row.says)};
  if (limits) cells.push_back(judge ? claim_limits_text(row) : "");
  std::vector<std::string> fits;
  for (std::size_t gpu = 0; gpu < book.gpus().size(); ++gpu) {
    const auto values = claim_values(book, gpu, row);
    cells.push_back(claim_cell(values));
    fits.emplace_back(judge ? words.at(static_cast<std::size_t>(fit_of(values, row.claimed))) : "");
  }
  const bool one = std::ranges::adjacent_find(fits, std::not_equal_to()) == fits.end();
  cells.push_back(one ? fits.front() : join(fits, ", "));
  table.row(std::move(cells));
}

std::string section_of(const ProbeBook& book, const ReportedClaim& claim) {
  const std::string common = common_limits(claim);
  std::vector<std::string> heads = {"measured"};
  if (common.empty()) heads.emplace_back("claimed");
  std::ranges::copy(book.labels(), std::back_inserter(heads));
  heads.push_back("as claimed" + (common.empty() ? "" : ": " + common));
  MarkdownTable table(heads);
  for (const ClaimRow* row : judged(claim)) add_row(book, *row, true, common.empty(), table);
  for (const ClaimRow& row : claim.beside) add_row(book, row, false, common.empty(), table);
  const std::string verdict =
      fmt::format("**Verdict: {}.** {}", verdict_of(book, claim), markdown_text(claim.condition));
  return fmt::format("## {}\n\n{}\n\n{}\n\n{}    {}\n\n", markdown_text(claim.name),
                     markdown_lines(markdown_text(claim.says)), markdown_lines(verdict), table.text(), claim.command);
}

}  // namespace

Expected<std::vector<ReportedClaim>> parse_claims(const std::string& file, std::string_view text) {
  return read_yaml<std::vector<ReportedClaim>>(file, text, yaml::under("claims"));
}

const Expected<std::vector<ReportedClaim>>& known_claims() {
  static const Expected<std::vector<ReportedClaim>> known =
      parse_claims("claims.yaml", embedded_assets().at("claims.yaml"));
  return known;
}

std::vector<std::string> contradictions(const ProbeBook& book, const ReportedClaim& claim) {
  std::vector<std::string> all;
  const auto check = [&](const std::vector<ClaimRow>& rows, const std::set<std::set<ClaimFit>>& wanted,
                         const char* words) {
    for (const ClaimRow& row : rows) {
      std::set<ClaimFit> fits;
      std::vector<std::string> cells;
      for (std::size_t gpu = 0; gpu < book.gpus().size(); ++gpu) {
        const auto values = claim_values(book, gpu, row);
        fits.insert(fit_of(values, row.claimed));
        cells.push_back(claim_cell(values));
      }
      if (!wanted.contains(fits))
        all.push_back(fmt::format("{}: {}: {}, and claims.yaml says that it {} {}", claim.name, row.says,
                                  join(cells, ", "), words, claim_limits_text(row)));
    }
  };
  check(claim.holds, {{ClaimFit::In}}, "is");
  check(claim.fails, {{ClaimFit::Out}}, "is not");
  check(claim.by_gpu, {{ClaimFit::In, ClaimFit::Out}}, "is on one GPU and not on the other");
  return all;
}

std::string render_claims(const ProbeBook& book, const std::vector<ReportedClaim>& claims) {
  std::map<std::string, std::vector<std::string>> by_verdict;
  std::string contents, sections;
  for (const ReportedClaim& claim : claims) {
    const std::string link = fmt::format("[{}](#{})", markdown_text(claim.name), heading_fragment(claim.name));
    by_verdict[verdict_of(book, claim)].push_back(link);
    sections += section_of(book, claim);
  }
  for (const auto& [verdict, links] : by_verdict)
    contents += markdown_lines(fmt::format("*{}:* {}.", verdict, join(links, ", "))) + "\n\n";
  const char* introduction =
      "What articles say of kernels and instructions, and what was measured. A claim is confirmed if all of its "
      "numbers are as claimed on every GPU, and refuted if none is. A number without a link counts instructions of a "
      "kernel in `probes/claims`, compiled for sm_90a by CUDA 13.0. `warpclock report --claims` writes this page from "
      "`harness/answer/assets/claims.yaml`.";
  return fmt::format("{}\n# Claims about GPUs, held against the records\n\n{}\n\n{}{}", markdown_mark,
                     markdown_lines(introduction), contents, sections);
}

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

/// The unit that all numbers have is in the head of the table; cycles are in that of the page.
std::string table_of(const ProbeBook& book, const ReportedFinding& finding) {
  const std::vector<std::size_t> gpus = gpus_of(book, finding);
  std::set<std::string> units;
  for (const ClaimRow& row : finding.rows)
    for (const std::size_t gpu : gpus)
      for (const ClaimValue& value : claim_values(book, gpu, row)) units.insert(value.unit);
  const bool common = units.size() == 1 && *units.begin() != "x" && *units.begin() != "cycles";
  MarkdownTable table({common ? markdown_text(unit_text(*units.begin())) : ""});
  for (const std::size_t gpu : gpus) table.column(book.labels()[gpu]);
  for (const ClaimRow& row : finding.rows) {
    std::vector<std::string> cells = {markdown_text(row.says)};
    for (const std::size_t gpu : gpus) {
      auto values = claim_values(book, gpu, row);
      for (ClaimValue& value : values)
        if (common || value.unit == "cycles") value.unit = "count";
      cells.push_back(claim_cell(values));
    }
    table.row(std::move(cells));
  }
  return table.text();
}

/// "*H100, H200:* clock reads."
std::string origin_of(const ReportedFinding& finding) {
  if (finding.seen.empty()) return "";
  const std::string where = finding.gpus.empty() ? "Seen" : join(finding.gpus, ", ");
  return markdown_lines(fmt::format("*{}:* {}", where, finding.seen)) + "\n\n";
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
    if (!contents.empty()) contents += ", ";
    contents += fmt::format("[{}](#{})", to_lower(topic.name), heading_fragment(topic.name));
    sections += fmt::format("## {}\n\n", topic.name);
    for (const ReportedFinding& finding : topic.findings) sections += section_of(book, finding);
  }
  const char* introduction =
      "Each heading is a finding. A test holds it to its table, which has numbers of the committed records, in cycles "
      "unless a unit is given. A finding without a table says on which GPUs and how it was seen. \"Composed\" is code "
      "[written without the compiler](instructions.md#composed-in-machine-code). `warpclock report --findings` writes "
      "this page from `harness/answer/assets/findings.yaml`. Topics:";
  while (sections.ends_with("\n\n")) sections.pop_back();
  return fmt::format("{}\n# What was found\n\n{}\n\n{}", markdown_mark,
                     markdown_lines(fmt::format("{} {}.", introduction, contents)), sections);
}

}  // namespace warpclock
