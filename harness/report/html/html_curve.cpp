#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/escape.hpp"
#include "base/lookup.hpp"
#include "record/outcome.hpp"
#include "record/shared.hpp"
#include "report/html/html_parts.hpp"
#include "report/numbers/figures.hpp"

namespace warpclock {
namespace {

constexpr const char* no_value = "<td>\xE2\x80\x93</td>";

/// The cell of a measured case's counter, with the decimals of its column.
std::string counter_cell(const CaseRecord& row, const std::string& name, int places) {
  const auto at = row.counters.find(name);
  return at == row.counters.end() ? no_value : element("td", "", fixed(at->second, places));
}

/// "0.02" from "\xC2\xB1" "0.02"; empty if it is zero at these decimals.
std::string spread(const Estimate& estimate, int places) {
  const std::string text = interval(estimate, places);
  const std::size_t digits = text.find_first_of("0123456789");
  return text.find_first_of("123456789") == std::string::npos ? "" : text.substr(digits);
}

/// A column after the parameters: its head, and its cell for a measured case.
class CurveColumns {
 public:
  CurveColumns(const PageContext& page, const ProbeOutline& probe) : probe_(probe) {
    for (const std::string& name : probe.estimates) {
      places_.push_back(decimals(probe, name));
      spread_.push_back(has_interval(probe, name));
      rates_.push_back(has_gigabytes(probe, name));
    }
    for (const std::string& name : probe.counters) counter_places_.push_back(counter_decimals(probe, name));
    head_ = heads(page);
  }

  [[nodiscard]] const std::string& head() const { return head_; }
  [[nodiscard]] std::size_t count() const {
    return probe_.estimates.size() +
           static_cast<std::size_t>(std::ranges::count(spread_, true) + std::ranges::count(rates_, true)) +
           probe_.counters.size() + 1;
  }
  [[nodiscard]] std::string cells(const CaseRecord& row) const {
    std::string out;
    for (std::size_t i = 0; i < probe_.estimates.size(); ++i) {
      const Estimate* estimate = published(row, probe_.estimates[i]);
      out += estimate ? element("td", "", fixed(estimate->value, places_[i])) : no_value;
      if (spread_[i]) out += element("td", "", estimate ? spread(*estimate, places_[i]) : "");
      if (rates_[i]) out += gigabytes_cell(probe_, row, probe_.estimates[i], "");
    }
    for (std::size_t i = 0; i < probe_.counters.size(); ++i) {
      out += counter_cell(row, probe_.counters[i], counter_places_[i]);
    }
    const bool throttled = !row.clock.throttle.empty();
    const std::string clock = clock_text(sm_clock(row.clock));
    if (is_shared(row)) return out + element("td", "warn", clock + ", shared");
    return out + element("td", throttled ? "warn" : "", clock);
  }

 private:
  [[nodiscard]] std::string heads(const PageContext& page) const {
    std::string out;
    for (std::size_t i = 0; i < probe_.estimates.size(); ++i) {
      out += column_head(probe_.estimates[i], shared_unit(probe_, probe_.estimates[i]));
      if (spread_[i]) out += column_head("\xC2\xB1", "");
      if (rates_[i]) out += column_head("GB/s", "");
    }
    for (const std::string& name : probe_.counters) out += column_head(name, metric_unit(page.record, name));
    return out + column_head("clock", "MHz");
  }

  const ProbeOutline& probe_;
  std::vector<int> places_, counter_places_;
  std::vector<bool> spread_, rates_;
  std::string head_;
};

std::string curve_row(const ProbeOutline& probe, const CurveColumns& columns, const CaseRecord& row) {
  const bool measured = row.outcome == Outcome::Measured;
  std::string out = fmt::format("<tr id=\"{}\"{}>", escape(anchor(row.id)),
                                measured ? "" : fmt::format(" data-o=\"{}\"", word(row.outcome)));
  for (const std::string& name : probe.varying) {
    const Value* value = find(row.parameters, name);
    out += element("td", "", value ? parameter_text(name, *value) : "");
  }
  out += measured ? columns.cells(row)
                  : fmt::format("<td class=\"why\" colspan=\"{}\">{} <b>{}</b> {}</td>", columns.count(), badge(row),
                                escape(row.reason.code), escape(row.reason.text));
  return out + "</tr>\n";
}

/// Cases that time the same machine code.
struct CurveKernel {
  std::vector<const CaseRecord*> cases;
};

std::vector<CurveKernel> kernels_of(const ProbeOutline& probe) {
  std::vector<CurveKernel> kernels;
  for (const CaseRecord* row : probe.cases) {
    if (row->window.sass.empty() && row->ptx.empty()) continue;
    const auto same = [&](const CurveKernel& kernel) {
      const CaseRecord& first = *kernel.cases.front();
      return first.window.sass == row->window.sass && first.ptx == row->ptx;
    };
    auto at = std::ranges::find_if(kernels, same);
    if (at == kernels.end()) at = kernels.insert(at, CurveKernel{});
    at->cases.push_back(row);
  }
  return kernels;
}

/// "path=ca stride=128": among the varying parameters, those that all cases of the kernel share.
std::string shared_parameters(const ProbeOutline& probe, const CurveKernel& kernel) {
  std::vector<std::string> names;
  for (const std::string& name : probe.varying) {
    const Value* first = find(kernel.cases.front()->parameters, name);
    const auto same = [&](const CaseRecord* row) {
      const Value* value = find(row->parameters, name);
      return first && value && *value == *first;
    };
    if (std::ranges::all_of(kernel.cases, same)) names.push_back(name);
  }
  return parameters_text(*kernel.cases.front(), names);
}

/// Each premise once, with the number of cases in which it held.
std::string premises(const CurveKernel& kernel) {
  struct Counted {
    std::string text;
    std::size_t held = 0, all = 0;
  };
  std::vector<Counted> counted;
  for (const CaseRecord* row : kernel.cases) {
    for (const Premise& premise : row->premises) {
      Counted& at = find_or_add(counted, premise.text, &Counted::text);
      ++at.all;
      if (premise.known && premise.held) ++at.held;
    }
  }
  std::string out;
  for (const Counted& each : counted) {
    out += fmt::format("<li class=\"{}\">{} <i>held in {} of {} cases</i></li>",
                       each.held == each.all ? "held" : "broken", escape(each.text), each.held, each.all);
  }
  return out.empty() ? out : "<ul class=\"marks\">" + out + "</ul>";
}

std::string kernel_fold(const ProbeOutline& probe, const CurveKernel& kernel) {
  const std::string parameters = shared_parameters(probe, kernel);
  return fmt::format("<details class=\"kernel\"><summary>Machine code of {} cases{}</summary>{}{}{}</details>",
                     kernel.cases.size(), parameters.empty() ? "" : ": " + escape(parameters), premises(kernel),
                     html_code(*kernel.cases.front()), html_window_card(*kernel.cases.front()));
}

}  // namespace

std::string html_curve_cases(const PageContext& page, const ProbeOutline& probe) {
  const CurveColumns columns(page, probe);
  std::string out = "<table class=\"cases points\">" + html_caption(probe) + "<thead><tr>";
  for (const std::string& name : probe.varying) out += element("th", "", parameter_name(name));
  out += columns.head() + "</tr></thead><tbody>\n";
  for (const CaseRecord* row : probe.cases) out += curve_row(probe, columns, *row);
  out = fmt::format(
      "<div class=\"scroll many\" tabindex=\"0\" role=\"region\" aria-label=\"cases of {}\">{}</tbody></table></div>",
      escape(probe.probe.name), out);
  for (const CurveKernel& kernel : kernels_of(probe)) out += kernel_fold(probe, kernel);
  return out + "<p class=\"note\">The samples of each case are in <b>result.json.gz</b>, next to this page.</p>";
}

}  // namespace warpclock
