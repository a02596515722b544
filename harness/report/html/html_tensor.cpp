#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/escape.hpp"
#include "report/html/html_parts.hpp"
#include "report/numbers/figures.hpp"
#include "report/sections/tensor_table.hpp"

namespace warpclock {
namespace {

constexpr const char* no_cell = "<td class=\"n none\">\xE2\x80\x93</td>";
constexpr int tensor_page_columns = 11;

std::string linked(const std::string& text, const CaseRecord& row) {
  return fmt::format("<a href=\"#{}\">{}</a>", escape(anchor(row.id)), escape(text));
}

std::string rate_cell(const std::optional<TensorNumber>& number, const TensorNumber* random = nullptr) {
  if (!number) return no_cell;
  const std::string other =
      random == nullptr ? "" : "<i>random " + linked(fixed(random->value, 0), *random->row) + "</i>";
  return "<td class=\"n\">" + linked(fixed(number->value, 0), *number->row) + other + "</td>";
}

/// The rate of all SMs: as measured on all of them, or, inside <i>, that of one SM times their number.
std::string teraops_cell(const std::optional<TensorNumber>& all, const std::optional<TensorNumber>& one, int sms) {
  const std::optional<TensorNumber>& number = all ? all : one;
  const auto value = number ? number->teraops(sms) : std::nullopt;
  if (!value) return no_cell;
  return fmt::format("<td class=\"n\">{}<i>{}</i></td>",
                     all ? linked(clocked_text(*value, 0), *number->row) : element("i", "", clocked_text(*value, 0)),
                     all ? conditions_text(*number) : "");
}

std::string missing_cell(const TensorLine& line) {
  if (line.missing.empty()) return "<td></td>";
  const CaseRecord& first = *line.missing.front();
  return fmt::format("<td class=\"why\" title=\"{}\"><a href=\"#{}\">{}</a></td>", escape(first.reason.text),
                     escape(anchor(first.id)), escape(missing_text(line)));
}

std::string line_row(const TensorGroup& group, const TensorLine& line, int sms) {
  const std::string latency = latency_text(line);
  std::string out = "<tr>" + element("th", "", line.shape) + element("td", "", line.source);
  out += latency.empty() ? no_cell : "<td class=\"n\">" + linked(latency, *line.latency.front().second.row) + "</td>";
  const auto& interval = line.at(TensorColumn::Interval);
  out += interval ? "<td class=\"n\">" + linked(fixed(interval->value, 1), *interval->row) + "</td>" : no_cell;
  out += rate_cell(line.at(TensorColumn::Random)) + rate_cell(line.at(TensorColumn::Zeros), line.random_of_zeros());
  const std::string share = peak_text(group, line);
  out += share.empty() ? no_cell : element("td", "n v", share);
  out += teraops_cell(line.at(TensorColumn::Sustained), line.at(TensorColumn::Random), sms);
  out += teraops_cell(line.at(TensorColumn::SustainedZeros), line.at(TensorColumn::Zeros), sms);
  return out + element("td", line.becomes.starts_with("emulated") ? "em" : "op", line.becomes) + missing_cell(line) +
         "</tr>";
}

std::string group_rows(const TensorGroup& group, int sms) {
  const std::string peak = group.peak > 0 ? fmt::format("peak {} FMA/clk/SM", fixed(group.peak, 0)) : "";
  std::string out = fmt::format(
      "<tbody><tr class=\"fam\"><th colspan=\"{}\" scope=\"rowgroup\"><b>{} {} \xE2\x86\x92 {}</b> {}</th></tr>",
      tensor_page_columns, escape(group.instruction), escape(group.inputs), escape(group.accumulator), peak);
  for (const TensorLine& line : group.lines) out += line_row(group, line, sms);
  return out + "</tbody>";
}

}  // namespace

std::string html_tensor(const PageContext& page) {
  const Expected<TensorTable>& known = known_tensor();
  if (!known) return element("p", "warn", known.error().message());
  const std::vector<TensorGroup> groups = tensor_groups(*known, page.record);
  if (groups.empty()) return {};
  std::string out =
      section_head("tensor", tensor_heading) +
      "<p class=\"asks\">Every shape and type of wgmma and mma.sync; each number links to its case. Latency: the "
      "letters "
      "are the operands that the chain goes through; that of a wgmma includes its commit and wait. FMA/clk/SM: the "
      "best "
      "over warps and accumulators, with random data and with zeros. TFLOP/s (TOP/s of integers): two operations an "
      "FMA "
      "on all SMs; in grey, computed from one SM.</p><div class=\"scroll many tall\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"tensor cores\"><table class=\"tensor mma\"><thead><tr><th scope=\"col\">shape</th><td></td>";
  for (const auto& [head, unit] : {std::pair{"latency", "cycles"},
                                   {"interval", "cycles"},
                                   {"random", "FMA/clk/SM"},
                                   {"zeros", "FMA/clk/SM"},
                                   {"of dense peak", ""},
                                   {"random", "TFLOP/s"},
                                   {"zeros", "TFLOP/s"}}) {
    out += column_head(head, unit);
  }
  out += "<th scope=\"col\">becomes</th><th scope=\"col\">not measured</th></tr></thead>";
  for (const TensorGroup& group : groups) out += group_rows(group, page.record.device.sms);
  return out +
         "</table></div><p class=\"note\">A rate of a sparse product counts the multiplications that are left out. "
         "Grey "
         "\xE2\x80\x9Crandom\xE2\x80\x9D next to zeros is the same case with random data, where that is not the "
         "best. Clock and power next to TFLOP/s are those of the same launches, on all SMs. " +
         escape(peaks_text(groups)) + "</p></section>\n";
}

}  // namespace warpclock
