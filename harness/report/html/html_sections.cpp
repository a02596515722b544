#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/estimates.hpp"
#include "base/escape.hpp"
#include "base/text.hpp"
#include "record/outcome.hpp"
#include "record/shared.hpp"
#include "report/html/html_parts.hpp"

namespace warpclock {

std::optional<std::string> encoded_finding(const CaseRecord& row) {
  if (row.outcome != Outcome::Measured || !row.window.encoded_cycles) return std::nullopt;
  for (const Estimate& estimate : row.estimates) {
    if (estimate.method == "slope") return disagreement(estimate, *row.window.encoded_cycles);
  }
  return std::nullopt;
}

std::string html_findings(const PageContext& page) {
  std::string encoded, throttled, shared, unknown;
  int compared = 0;
  for (const CaseRecord& row : page.record.cases) {
    if (row.outcome == Outcome::Measured && row.window.encoded_cycles) ++compared;
    if (const auto text = encoded_finding(row)) encoded += "<li>" + case_link(row) + " " + escape(*text) + "</li>";
    if (row.outcome == Outcome::Measured && !row.clock.throttle.empty()) {
      throttled += "<li>" + case_link(row) + " " + escape(join(row.clock.throttle, ", ")) + "</li>";
    }
    if (is_shared(row)) shared += "<li>" + case_link(row) + "</li>";
    for (const Premise& premise : row.premises) {
      if (row.outcome != Outcome::Measured || premise.known) continue;
      unknown += "<li>" + case_link(row) + " " + escape(premise.text + ": " + premise.why_unknown) + "</li>";
    }
  }
  const auto block = [](const std::string& title, const std::string& items, const std::string& none) {
    return "<h3>" + title + "</h3>" +
           (items.empty() ? "<p class=\"none\">" + none + "</p>" : "<ul class=\"findings\">" + items + "</ul>");
  };
  std::string out = section_head("findings", findings_heading);
  out += block("Measured against encoded", encoded,
               compared == 0
                   ? "No measured case has a fixed-latency chain to compare with."
                   : fmt::format("All {} chains of fixed-latency instructions take the cycles that their encoding "
                                 "states, within {} cycle.",
                                 compared, encoded_tolerance_cycles));
  out += block("Throttled while measured", throttled, "No throttle reason was in force during any measured case.");
  if (!shared.empty()) out += block("Shared: measured while other work ran on the GPU", shared, "");
  if (!unknown.empty()) out += block("Premises that could not be checked", unknown, "");
  return out + "</section>\n";
}

std::string html_unpublished(const PageContext& page) {
  std::string out = section_head("unpublished", unpublished_heading);
  bool any = false;
  for (const Outcome outcome : {Outcome::Unsteady, Outcome::Rejected, Outcome::Failed, Outcome::Skipped}) {
    // Rows with the same reason are listed under it.
    std::vector<std::pair<Reason, std::vector<const CaseRecord*>>> groups;
    for (const CaseRecord& row : page.record.cases) {
      if (row.outcome != outcome) continue;
      any = true;
      std::size_t i = 0;
      while (i < groups.size() && !(groups[i].first == row.reason)) ++i;
      if (i == groups.size()) groups.push_back({row.reason, {}});
      groups[i].second.push_back(&row);
    }
    if (groups.empty()) continue;
    out += fmt::format("<h3>{}</h3><dl class=\"reasons\">", word(outcome));
    for (const auto& [reason, rows] : groups) {
      out += fmt::format("<div><dt><b>{}</b> {} <i>at {}</i></dt><dd>", escape(reason.code), escape(reason.text),
                         escape(reason.stage));
      for (const CaseRecord* row : rows) out += case_link(*row) + " ";
      out += "</dd></div>";
    }
    out += "</dl>";
  }
  if (!any) out += "<p class=\"none\">Every case of this run was measured with a verified window.</p>";
  return out + "</section>\n";
}

namespace {

struct Term {
  const char *word, *meaning;
};

constexpr Term terms[] = {
    {"window",
     "The machine code between the opening and the closing clock read, as the disassembler prints it. The instruction "
     "that is measured is highlighted; clock reads are grey."},
    {"B0----5:R-:W2:Y:S04",
     "How the machine code schedules an instruction: scoreboards waited for, scoreboard set until its sources are "
     "read, "
     "scoreboard set until its result is written, yield, and cycles until the warp's next issue."},
    {"latency",
     "The slope of cycles over the length of a dependent chain. The intercept is overhead and is listed with the row."},
    {"throughput",
     "Work per clock and SM. The plateau is the level at which the curve ends; the ring marks the smallest point that "
     "reaches 95 % of it. A cross on the axis is a case without a published number."},
    {"GB/s",
     "A rate of an SM times the SMs of the GPU, at the clock that was measured around the case. Where one SM ran "
     "alone, "
     "it is an upper bound for all SMs, because they share L2 and DRAM."},
    {"interval",
     "The \xC2\xB1 next to a value is the wider side of its interval; whiskers in a chart show both sides where they "
     "are "
     "wide enough to see. Rows that open hold their raw samples; those of the points of a curve are in "
     "result.json.gz."},
    {"encoded",
     "Cycles between dependent instructions as the stall counts in the machine code state them: a second method for "
     "instructions of fixed latency."},
    {"clock",
     "The SM clock around the case, from the SM's cycle counter against the global timer. Cycles are measured; other "
     "times follow from them."},
};

}  // namespace

std::string html_reading(const PageContext& page) {
  std::string out = section_head("reading", reading_heading) + "<dl class=\"reading\">";
  for (const Term& term : terms) {
    out += "<div>" + element("dt", "", term.word) + element("dd", "", term.meaning) + "</div>";
  }
  for (const MetricRecord& metric : page.record.metrics) {
    const std::string name = metric.unit.empty() ? metric.name : metric.name + ", " + metric.unit;
    out += "<div>" + element("dt", "", name) + element("dd", "", metric.text) + "</div>";
  }
  return out + "</dl></section>\n";
}

}  // namespace warpclock
