#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/escape.hpp"
#include "base/lookup.hpp"
#include "record/outcome.hpp"
#include "report/charts/chart.hpp"
#include "report/html/html_parts.hpp"
#include "report/numbers/figures.hpp"
#include "report/sections/handoff.hpp"

namespace warpclock {
namespace {

std::string tooltip(const Handoff& each) {
  std::string text = fmt::format("{} within a {}: {} cycles", each.by, each.within, fixed(each.cycles, 1));
  const SmClock clock = sm_clock(each.row->clock);
  if (const auto ns = nanoseconds(each.cycles, clock))
    text += fmt::format(", {} ns at {} MHz", clocked_text(*ns, 1), clock_text(clock));
  if (each.cases > 1) text += fmt::format("; the longest of {} cases: {}", each.cases, fixed(each.longest, 1));
  return text;
}

/// A bar for each mechanism, with a colour for each scope.
BarChart chart_of(const std::vector<Handoff>& all) {
  BarChart chart;
  chart.id = "handoffs-0";
  chart.title = "Hand-off latency by mechanism";
  chart.description = "One bar a mechanism, the number at its end.";
  chart.value_label = "cycles";
  for (const Handoff& each : all) {
    find_or_add(chart.lines, each.within, &ChartLine::name)
        .points.push_back({static_cast<double>(chart.categories.size()), each.cycles, each.cycles, each.longest,
                           each.row->id, tooltip(each)});
    chart.categories.push_back(each.by);
  }
  return chart;
}

}  // namespace

std::string html_handoffs(const PageContext& page) {
  const Expected<KernelDesign>& known = known_kernel_design();
  if (!known) return element("p", "warn", known.error().message());
  const Handoffs all = handoffs(known->handoffs, page.record);
  if (all.measured.empty()) return {};
  std::string out =
      section_head("handoffs", handoffs_heading) +
      "<p class=\"asks\">The cycles from one side's signal until the other side continues: between warps of a block, "
      "blocks of a cluster, and blocks of the grid.</p>"
      "<div class=\"charts\"><figure>" +
      draw(chart_of(all.measured)) +
      "</figure></div><p class=\"note\">Half of a round trip. The bar is the fastest case of a mechanism and links to "
      "it; the "
      "whisker ends at its slowest case.";
  if (!all.missing.empty()) out += " Not measured: ";
  for (std::size_t i = 0; i < all.missing.size(); ++i) {
    const auto& [name, row] = all.missing[i];
    out += fmt::format("{}<a href=\"#{}\" title=\"{}\">{}</a> ({}: {})", i == 0 ? "" : "; ", escape(anchor(row->id)),
                       escape(row->reason.text), escape(name), word(row->outcome), escape(row->reason.code));
  }
  return out + (all.missing.empty() ? "" : ".") + "</p></section>\n";
}

}  // namespace warpclock
