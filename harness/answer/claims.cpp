#include "answer/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "answer/instructions/instruction_cells.hpp"
#include "answer/markdown_table.hpp"
#include "answer/numbers/figures.hpp"
#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/files/marked.hpp"
#include "base/text.hpp"
#include "plan/config/yaml.hpp"

namespace warpclock {
namespace {

constexpr const char* measured_arch = "sm_90a";  // what claims_code_test.cpp compiles for

ClaimLimits read_limits(const Node& node) {
  const std::vector<Node> ends = node.items();
  if (ends.empty() || ends.size() > 2) node.reject("is [low, high], or [low]");
  ClaimLimits limits;
  if (!ends.empty()) limits.low = ends.front().number();
  if (ends.size() == 2) limits.high = ends.back().number();
  return limits;
}

ClaimRow read_row(const Node& node, const ClaimLimits& claimed) {
  const Fields fields =
      node.fields({"says", "of", "estimate", "by", "with", "code", "kernel", "target", "has", "times", "claimed"});
  ClaimRow row;
  row.says = fields.get("says").text();
  row.claimed = claimed;
  if (const auto own = fields.find("claimed")) row.claimed = read_limits(*own);
  if (const auto code = fields.find("code")) {
    const auto target = fields.find("target");
    row.code = {code->text(), fields.get("kernel").text(), target ? target->text() : "", fields.get("has").text(),
                fields.get("times").number()};
    return row;
  }
  row.numbers.of = fields.get("of").text();
  row.numbers.of_estimate = fields.get("estimate").text();
  const auto by = fields.find("by"), with = fields.find("with");
  if (by) row.numbers.by = by->text();
  row.numbers.by_estimate = with ? with->text() : row.numbers.of_estimate;
  return row;
}

ReportedClaim read_claim(const Node& node) {
  const Fields fields =
      node.fields({"claim", "says", "claimed", "holds", "fails", "by_gpu", "beside", "condition", "command"});
  ReportedClaim claim;
  claim.name = fields.get("claim").text();
  claim.says = fields.get("says").text();
  claim.condition = fields.get("condition").text();
  claim.command = fields.get("command").text();
  const ClaimLimits claimed = read_limits(fields.get("claimed"));
  const auto rows = [&](const char* key, std::vector<ClaimRow>& to) {
    if (const auto list = fields.find(key))
      for (const Node& each : list->items()) to.push_back(read_row(each, claimed));
  };
  rows("holds", claim.holds), rows("fails", claim.fails), rows("by_gpu", claim.by_gpu), rows("beside", claim.beside);
  return claim;
}

struct Found {
  double value = 0;
  std::string unit, link;
  const Parameters* parameters = nullptr;
};

/// All numbers of one GPU that an id and the name of an estimate mean: of probes, instructions and kernels.
std::vector<Found> numbers_of(const ProbeBook& book, std::size_t gpu, const std::string& id, const std::string& name) {
  std::vector<Found> all;
  const ReportedGpu& of = book.gpus()[gpu];
  const std::string folder = percent_encoded(of.folder) + "/", probe = id.substr(0, id.find('['));
  static const Parameters none;
  if (const Record* record = book.has(probe) ? book.places(probe)[gpu].record : nullptr) {
    for (const CaseRecord& row : record->cases) {
      const Estimate* estimate = is_id(id, row.id) ? published(row, name) : nullptr;
      if (estimate != nullptr)
        all.push_back({estimate->value, estimate->unit, book.case_link(gpu, row), &row.parameters});
    }
  }
  if (of.table != nullptr) {
    for (const InstructionRecord& row : of.table->rows) {
      const Estimate* estimate = is_id(id, row.id) ? published(row, name) : nullptr;
      const std::string link = folder + "instructions.html#i=" + percent_encoded(row.id);
      if (estimate != nullptr) all.push_back({estimate->value, estimate->unit, link, &none});
    }
  }
  const auto own = of.kernels.find("");
  if (own == of.kernels.end()) return all;
  for (const KernelRow& row : own->second->rows) {
    if (!is_id(id, row.id) || !row.measurement) continue;
    if (name == "cycles")
      all.push_back({row.measurement->cycles, "cycles", folder + "cases.html", &row.parameters});
    else if (name == "cublas" && row.library && row.library->missing.empty())
      all.push_back({100 * row.library->share, "% of cuBLAS", folder + "cases.html", &row.parameters});
  }
  return all;
}

/// Ratios if the row has a second id, whose parameters in braces are those of the first. Empty if a number is missing.
std::vector<Found> values_of(const ProbeBook& book, std::size_t gpu, const ClaimRow& row) {
  if (row.code) {
    if (book.gpus()[gpu].device().arch != measured_arch) return {};
    return {{row.code->times, "in the machine code", "", nullptr}};
  }
  const SecondMethod& numbers = row.numbers;
  std::vector<Found> all = numbers_of(book, gpu, numbers.of, numbers.of_estimate);
  if (numbers.by.empty()) return all;
  for (Found& one : all) {
    const auto id = substitute(numbers.by, *one.parameters);
    const auto by = id ? numbers_of(book, gpu, *id, numbers.by_estimate) : std::vector<Found>();
    if (by.size() != 1) return {};
    one.value /= by.front().value, one.unit = "x";
  }
  return all;
}

enum class Fit { Missing, In, Out, Mixed };

Fit fit_of(const std::vector<Found>& values, const ClaimLimits& claimed) {
  if (values.empty()) return Fit::Missing;
  const auto inside = std::ranges::count_if(
      values, [&](const Found& one) { return one.value >= claimed.low && one.value <= claimed.high; });
  return inside == std::ssize(values) ? Fit::In : inside == 0 ? Fit::Out : Fit::Mixed;
}

std::string number_text(double value, bool ratio) {
  if (ratio) return fmt::format("{:.{}f}", value, value < 10 ? 2 : 1);
  return value >= 1000 ? fixed(value, 0) : fmt::format("{:.3g}", value);
}

/// "1.02 to 1.06 x", linked to the row if it is one.
std::string cell_of(const std::vector<Found>& values) {
  if (values.empty()) return "not measured yet";
  const auto [least, most] = std::ranges::minmax_element(values, {}, &Found::value);
  const bool ratio = least->unit == "x";
  std::string text = number_text(least->value, ratio);
  if (const std::string end = number_text(most->value, ratio); end != text) text += " to " + end;
  const std::string unit = least->unit == "count" ? "" : unit_text(least->unit);
  text += ratio ? "x" : unit.empty() ? "" : " " + markdown_text(unit);
  return least->link.empty() ? text : fmt::format("[{}](../reports/{})", text, least->link);
}

std::string limits_text(const ClaimLimits& limits, bool ratio) {
  const std::string low = number_text(limits.low, ratio), high = number_text(limits.high, ratio);
  if (limits.high == std::numeric_limits<double>::infinity()) return low + " or more";
  return low == high ? low : low + " to " + high;
}

/// As on a page of GitHub.
std::string fragment_of(const std::string& heading) {
  std::string made;
  for (const char c : to_lower(heading)) {
    if ((c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_') made += c;
    if (c == ' ') made += '-';
  }
  return made;
}

std::vector<const ClaimRow*> judged(const ReportedClaim& claim) {
  std::vector<const ClaimRow*> rows;
  for (const auto* list : {&claim.holds, &claim.by_gpu, &claim.fails})
    for (const ClaimRow& row : *list) rows.push_back(&row);
  return rows;
}

std::string verdict_of(const ProbeBook& book, const ReportedClaim& claim) {
  std::set<Fit> fits;
  for (const ClaimRow* row : judged(claim))
    for (std::size_t gpu = 0; gpu < book.gpus().size(); ++gpu)
      fits.insert(fit_of(values_of(book, gpu, *row), row->claimed));
  if (fits.empty() || fits.contains(Fit::Missing)) return "not measured yet";
  if (fits == std::set{Fit::In}) return "confirmed";
  return fits == std::set{Fit::Out} ? "refuted" : "only under a condition";
}

void add_rows(const ProbeBook& book, const std::vector<ClaimRow>& rows, bool judge, MarkdownTable& table) {
  constexpr std::array<const char*, 4> words = {"", "yes", "no", "in part"};
  for (const ClaimRow& row : rows) {
    std::vector<std::string> cells = {markdown_text(row.says),
                                      judge ? limits_text(row.claimed, !row.numbers.by.empty()) : ""};
    std::vector<std::string> fits;
    for (std::size_t gpu = 0; gpu < book.gpus().size(); ++gpu) {
      const auto values = values_of(book, gpu, row);
      cells.push_back(cell_of(values));
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
  return fmt::format("## {}\n\n{}\n\n**Verdict: {}.** {}\n\n{}    {}\n\n", markdown_text(claim.name),
                     markdown_text(claim.says), verdict_of(book, claim), markdown_text(claim.condition), table.text(),
                     claim.command);
}

}  // namespace

Expected<std::vector<ReportedClaim>> parse_claims(const std::string& file, std::string_view text) {
  const auto document = WARPCLOCK_TRY(Document::parse(file, text));
  std::vector<ReportedClaim> claims;
  for (const Node& item : document.root().fields({"claims"}).get("claims").items()) {
    if (document.error()) break;
    claims.push_back(read_claim(item));
  }
  if (const std::optional<Error>& error = document.error()) return std::unexpected(*error);
  return claims;
}

const Expected<std::vector<ReportedClaim>>& known_claims() {
  static const Expected<std::vector<ReportedClaim>> known =
      parse_claims("claims.yaml", embedded_assets().at("claims.yaml"));
  return known;
}

std::vector<std::string> contradictions(const ProbeBook& book, const ReportedClaim& claim) {
  std::vector<std::string> all;
  const auto check = [&](const std::vector<ClaimRow>& rows, const std::set<std::set<Fit>>& wanted, const char* words) {
    for (const ClaimRow& row : rows) {
      std::set<Fit> fits;
      std::vector<std::string> cells;
      for (std::size_t gpu = 0; gpu < book.gpus().size(); ++gpu) {
        const auto values = values_of(book, gpu, row);
        fits.insert(fit_of(values, row.claimed));
        cells.push_back(cell_of(values));
      }
      if (!wanted.contains(fits))
        all.push_back(fmt::format("{}: {}: {}, and claims.yaml says that it {} {}", claim.name, row.says,
                                  join(cells, ", "), words, limits_text(row.claimed, !row.numbers.by.empty())));
    }
  };
  check(claim.holds, {{Fit::In}}, "is");
  check(claim.fails, {{Fit::Out}}, "is not");
  check(claim.by_gpu, {{Fit::In, Fit::Out}}, "is on one GPU and not on the other");
  return all;
}

std::string render_claims(const ProbeBook& book, const std::vector<ReportedClaim>& claims) {
  MarkdownTable table({"claim", "verdict"});
  for (const std::string& label : book.labels()) table.column(label);
  std::string sections;
  for (const ReportedClaim& claim : claims) {
    const std::vector<const ClaimRow*> rows = judged(claim);
    const ClaimRow& first = rows.empty() ? claim.beside.front() : *rows.front();
    std::vector<std::string> cells = {fmt::format("[{}](#{})", markdown_text(claim.name), fragment_of(claim.name)),
                                      verdict_of(book, claim)};
    for (std::size_t gpu = 0; gpu < book.gpus().size(); ++gpu) cells.push_back(cell_of(values_of(book, gpu, first)));
    table.row(std::move(cells));
    sections += section_of(book, claim);
  }
  return fmt::format(
      "{}\n# Claims about GPUs, held against the records\n\nWhat articles say of kernels and instructions, and what "
      "was "
      "measured. `claimed` is what a number must be for the claim to hold. A claim is confirmed if all of its numbers "
      "are as claimed on every GPU, and refuted if none is. `warpclock report --claims` writes this page from the "
      "records and `harness/report/assets/claims.yaml`; a test fails if the records do not support a verdict. Numbers "
      "\"in the machine code\" are instructions of a kernel in `probes/claims`, compiled for sm_90a by CUDA 13.0; a "
      "test compiles and counts them.\n\n{}The number is the first one of the claim.\n\n{}",
      markdown_mark, table.text(), sections);
}

}  // namespace warpclock
