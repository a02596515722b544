#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/escape.hpp"
#include "record/outcome.hpp"
#include "record/shared.hpp"
#include "report/html/html_parts.hpp"
#include "report/numbers/figures.hpp"

namespace warpclock {
namespace {

std::string parameter_cell(const CaseRecord& row, const std::string& name) {
  const Value* value = find(row.parameters, name);
  if (!value) return "<td class=\"p\"></td>";
  return element("td", std::holds_alternative<std::string>(*value) ? "p" : "n", parameter_text(name, *value));
}

std::string estimate_cell(const ProbeOutline& probe, const CaseRecord& row, const std::string& name) {
  const Estimate* estimate = published(row, name);
  if (!estimate) return "<td class=\"n none\">\xE2\x80\x93</td>";
  const int places = decimals(probe, name);
  const std::string around = interval(*estimate, places);
  return fmt::format("<td class=\"n v\">{}{}</td>", fixed(estimate->value, places),
                     around.empty() ? "" : "<i>" + around + "</i>");
}

std::string measured_cells(const ProbeOutline& probe, const CaseRecord& row) {
  std::string out;
  for (const std::string& name : probe.estimates) {
    out += estimate_cell(probe, row, name);
    if (has_gigabytes(probe, name)) out += gigabytes_cell(probe, row, name, "n");
  }
  if (probe.encoded) {
    out += row.window.encoded_cycles ? fmt::format("<td class=\"n{}\">{}</td>", encoded_finding(row) ? " warn" : "",
                                                   fixed(*row.window.encoded_cycles, 1))
                                     : "<td class=\"n none\">\xE2\x80\x93</td>";
  }
  for (const std::string& name : probe.counters) {
    const auto at = row.counters.find(name);
    out += at == row.counters.end()
               ? "<td class=\"n none\">\xE2\x80\x93</td>"
               : fmt::format("<td class=\"n\">{}</td>", fixed(at->second, counter_decimals(probe, name)));
  }
  const bool throttled = !row.clock.throttle.empty();
  out += fmt::format("<td class=\"n{}\">{}</td>", throttled ? " warn" : "", clock_text(sm_clock(row.clock)));
  return out;
}

/// The first words of the label: "emulated" from "emulated: F2FP + HMMA". The row's evidence has all of it.
std::string tag(const std::string& label) {
  return label.empty() ? label : element("span", "tag", label.substr(0, label.find(':')));
}

}  // namespace

std::string gigabytes_cell(const ProbeOutline& probe, const CaseRecord& row, const std::string& name,
                           std::string_view css_class) {
  const Estimate* estimate = published(row, name);
  const auto rate = estimate != nullptr ? gigabytes_per_second(probe, row, *estimate) : std::nullopt;
  return element("td", css_class, rate ? clocked_text(*rate, 0) : "\xE2\x80\x93");
}

std::string badge(const CaseRecord& row) {
  const bool measured = row.outcome == Outcome::Measured;
  if (measured && is_shared(row)) return element("span", "badge rejected", "shared");
  return element("span", "badge " + std::string(word(row.outcome)),
                 measured ? row.window.verdict : std::string(word(row.outcome)));
}

std::string html_case(const ProbeOutline& probe, const CaseRecord& row) {
  const auto rates = static_cast<std::size_t>(
      std::ranges::count_if(probe.estimates, [&](const std::string& name) { return has_gigabytes(probe, name); }));
  const std::size_t value_columns =
      probe.estimates.size() + rates + probe.counters.size() + (probe.encoded ? 1u : 0u) + 1;
  const std::size_t columns = 1 + probe.varying.size() + value_columns + 1;
  std::string out = fmt::format(
      "<tbody class=\"case\" id=\"{}\" data-o=\"{}\"><tr><td "
      "class=\"w\"><details><summary>{}</summary></details>{}</td>",
      escape(anchor(row.id)), word(row.outcome), badge(row), tag(row.window.label));
  for (const std::string& name : probe.varying) out += parameter_cell(row, name);
  if (row.outcome == Outcome::Measured) {
    out += measured_cells(probe, row) + "<td class=\"f\"></td>";
  } else {
    out += fmt::format("<td class=\"why\" colspan=\"{}\"><b>{}</b> {}</td>", value_columns + 1, escape(row.reason.code),
                       escape(row.reason.text));
  }
  out += fmt::format("</tr><tr class=\"x\"><td colspan=\"{}\">", columns);
  return out + "</td></tr></tbody>\n";
}

}  // namespace warpclock
