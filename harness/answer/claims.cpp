#include "answer/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "answer/markdown_table.hpp"
#include "base/files/embedded.hpp"
#include "base/files/marked.hpp"
#include "base/text.hpp"

namespace warpclock {

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

void add_rows(const ProbeBook& book, const std::vector<ClaimRow>& rows, bool judge, MarkdownTable& table) {
  constexpr std::array<const char*, 4> words = {"", "yes", "no", "in part"};
  for (const ClaimRow& row : rows) {
    std::vector<std::string> cells = {markdown_text(row.says), judge ? claim_limits_text(row) : ""};
    std::vector<std::string> fits;
    for (std::size_t gpu = 0; gpu < book.gpus().size(); ++gpu) {
      const auto values = claim_values(book, gpu, row);
      cells.push_back(claim_cell(values));
      fits.emplace_back(judge ? words.at(static_cast<std::size_t>(fit_of(values, row.claimed))) : "");
    }
    cells.push_back(std::ranges::adjacent_find(fits, std::not_equal_to()) == fits.end() ? fits.front()
                                                                                        : join(fits, ", "));
    table.row(std::move(cells));
  }
}

std::string section_of(const ProbeBook& book, const ReportedClaim& claim) {
  std::vector<std::string> heads = {"what was measured", "claimed"};
  std::ranges::copy(book.labels(), std::back_inserter(heads));
  heads.emplace_back("as claimed");
  MarkdownTable table(heads);
  add_rows(book, claim.holds, true, table);
  add_rows(book, claim.by_gpu, true, table);
  add_rows(book, claim.fails, true, table);
  add_rows(book, claim.beside, false, table);
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
  MarkdownTable table({"claim", "verdict"});
  for (const std::string& label : book.labels()) table.column(label);
  std::string sections;
  for (const ReportedClaim& claim : claims) {
    const std::vector<const ClaimRow*> rows = judged(claim);
    const ClaimRow& first = rows.empty() ? claim.beside.front() : *rows.front();
    std::vector<std::string> cells = {fmt::format("[{}](#{})", markdown_text(claim.name), heading_fragment(claim.name)),
                                      verdict_of(book, claim)};
    for (std::size_t gpu = 0; gpu < book.gpus().size(); ++gpu)
      cells.push_back(claim_cell(claim_values(book, gpu, first)));
    table.row(std::move(cells));
    sections += section_of(book, claim);
  }
  const char* introduction =
      "What articles say of kernels and instructions, and what was measured. `claimed` is what a number must be for "
      "the "
      "claim to hold. A claim is confirmed if all of its numbers are as claimed on every GPU, and refuted if none is. "
      "`warpclock report --claims` writes this page from the records and `harness/answer/assets/claims.yaml`; a test "
      "fails if the records do not support a verdict. Numbers \"in the machine code\" are instructions of a kernel in "
      "`probes/claims`, compiled for sm_90a by CUDA 13.0; a test compiles and counts them.";
  return fmt::format(
      "{}\n# Claims about GPUs, held against the records\n\n{}\n\n{}The number is the first one of the claim.\n\n{}",
      markdown_mark, markdown_lines(introduction), table.text(), sections);
}

}  // namespace warpclock
