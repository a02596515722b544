#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/escape.hpp"
#include "report/html/html_parts.hpp"
#include "report/numbers/answer.hpp"
#include "report/numbers/feature_table.hpp"
#include "report/numbers/figures.hpp"

namespace warpclock {
std::string shared_unit(const ProbeOutline& probe, const std::string& name) {
  std::string unit;
  for (const CaseRecord* row : probe.cases) {
    const Estimate* estimate = published(*row, name);
    if (!estimate) continue;
    if (!unit.empty() && unit != estimate->unit) return {};
    unit = estimate->unit;
  }
  return unit;
}

std::string column_head(const std::string& name, const std::string& unit, bool with_interval) {
  return fmt::format("<th scope=\"col\" class=\"n{}\">{}{}</th>", with_interval ? " e" : "", escape(name),
                     unit_text(unit).empty() || unit == name ? "" : element("span", "", unit_text(unit)));
}

bool has_interval(const ProbeOutline& probe, const std::string& name) {
  return std::any_of(probe.cases.begin(), probe.cases.end(), [&](const CaseRecord* row) {
    const Estimate* estimate = published(*row, name);
    return estimate && !interval(*estimate, 0).empty();
  });
}

std::string metric_unit(const Record& record, const std::string& metric) {
  const auto found = std::ranges::find(record.metrics, metric, &MetricRecord::name);
  return found == record.metrics.end() ? std::string() : found->unit;
}

std::string html_caption(const ProbeOutline& probe) {
  std::string shared;
  for (const auto& [name, value] : probe.fixed)
    shared += (shared.empty() ? "" : " ") + parameter_name(name) + "=" + parameter_text(name, value);
  return shared.empty() ? shared : element("caption", "", "all with " + shared);
}

namespace {

std::string table_head(const PageContext& page, const ProbeOutline& probe) {
  std::string out = "<thead><tr><th scope=\"col\">window</th>";
  for (const std::string& name : probe.varying) {
    const bool numeric = std::any_of(probe.cases.begin(), probe.cases.end(), [&](const CaseRecord* row) {
      const Value* value = find(row->parameters, name);
      return value && std::holds_alternative<std::int64_t>(*value);
    });
    out += element("th", numeric ? "n" : "", parameter_name(name));
  }
  for (const std::string& name : probe.estimates) {
    out += column_head(name, shared_unit(probe, name), has_interval(probe, name));
    if (has_gigabytes(probe, name)) out += column_head("GB/s", "");
  }
  if (probe.encoded) out += column_head("encoded", "cycles");
  for (const std::string& name : probe.counters) out += column_head(name, metric_unit(page.record, name));
  return out + column_head("clock", "MHz") + "<td class=\"f\"></td></tr></thead>\n";
}

std::string tiles(const PageContext& page, const ProbeOutline& probe) {
  const std::vector<Headline> all = answers(page.record, probe);
  if (all.empty()) return "<p class=\"nothing\">Nothing is published: see the reasons below.</p>";
  std::string out = "<dl class=\"tiles\">";
  for (const Headline& each : all) {
    const std::string all_sms = each.all_sms.empty() ? "" : element("span", "", each.all_sms);
    out += fmt::format("<div><dt>{}</dt><dd><b>{}</b> {}{}<span>{}</span></dd></div>", escape(each.name), each.value,
                       escape(each.unit), all_sms, escape(each.detail));
  }
  return out + "</dl>";
}

/// What a reader must know to interpret the numbers, stated once for the whole table.
std::string notes(const ProbeOutline& probe) {
  std::vector<std::pair<std::string, std::string>> said;
  const auto say = [&](const std::string& name, const std::string& text) {
    const std::pair<std::string, std::string> one{name, text};
    if (!text.empty() && std::find(said.begin(), said.end(), one) == said.end()) said.push_back(one);
  };
  for (const CaseRecord* row : probe.cases) {
    for (const Estimate& estimate : row->estimates) {
      if (estimate.method != "encoded") say(estimate.name, estimate.note);
    }
    for (const Measure& measure : row->measures) say(measure.name, measure.note);
    say("window", row->window.label);
    say("counters", row->counters_missing);
  }
  for (const Varying& varying : probe.varies) say("repeats", describe(varying));
  std::string out;
  for (const auto& [name, text] : said) {
    out += fmt::format("<li><b>{}</b> {}</li>", escape(name), escape(text));
  }
  return out.empty() ? out : "<ul class=\"notes\">" + out + "</ul>";
}

/// What the curves show, followed by the cases that form them.
std::string html_found_table(const ProbeOutline& probe) {
  const std::vector<FeatureLine> lines = feature_lines(probe);
  if (lines.empty()) return {};
  std::string rows;
  for (const FeatureLine& line : lines)
    rows += text_row({line.curve, line.name, line.value, line.interval, line.confidence, line.where, line.note});
  return scroll_table("found by " + probe.probe.name, "found",
                      {"curve", "found", "value", "between", "evidence", "answered by", "note"}, rows);
}

/// The table with rows that open.
std::string folds(const PageContext& page, const ProbeOutline& probe) {
  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"cases of {}\"><table class=\"cases\">",
      escape(probe.probe.name));
  out += html_caption(probe) + table_head(page, probe);
  for (const CaseRecord* row : probe.cases) out += html_case(probe, *row);
  return out + "</table></div>";
}

/// Tables of a probe's features and cases, maps, layouts.
std::string html_probe_rows(const PageContext& page, const ProbeOutline& probe, std::size_t index) {
  return html_places(probe, index) + html_layouts(probe) + html_found_table(probe) +
         html_published(page.record, probe.probe.name) +
         (is_curve(probe) ? html_curve_cases(page, probe) : folds(page, probe));
}

}  // namespace

std::string html_probe(const PageContext& page, const ProbeOutline& probe, std::size_t index, Parts& parts) {
  const std::string id = escape(probe_anchor(probe.probe.name));
  std::string out = fmt::format("<article class=\"probe\" id=\"{0}\"><h3><a href=\"#{0}\">{1}</a></h3>", id,
                                escape(probe.probe.name));
  const std::string asks = probe.probe.asks.empty() ? "" : element("p", "asks", probe.probe.asks);
  const std::string charts = html_charts(probe, index);
  const bool one = !charts.empty() && charts.find("<figure") == charts.rfind("<figure");
  const std::string numbers = asks + tiles(page, probe);
  out += one ? "<div class=\"split\"><div>" + numbers + "</div>" + charts + "</div>" : numbers + charts;
  return out +
         fmt::format("<details class=\"rows\"><summary>{} case{}: values, {}</summary>{}</details>", probe.cases.size(),
                     probe.cases.size() == 1 ? "" : "s",
                     is_curve(probe) ? "features and machine code" : "machine code and samples",
                     put_later(parts, html_probe_rows(page, probe, index))) +
         notes(probe) + "</article>\n";
}

}  // namespace warpclock
