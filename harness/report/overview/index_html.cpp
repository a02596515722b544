#include "report/overview/index_html.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/html/html_parts.hpp"
#include "report/numbers/figures.hpp"
#include "report/overview/differences.hpp"
#include "report/overview/overview_parts.hpp"

namespace warpclock {
namespace {

using Gpus = std::vector<ReportedGpu>;

/// A value next to the others of its row: four digits.
std::string value_link(const ReportedGpu& gpu, const SharedNumber& number, const Estimate* estimate) {
  if (estimate == nullptr) return "\xE2\x80\x93";
  return fmt::format("<a href=\"{}/{}#{}\">{}</a>", percent_encoded(gpu.folder), percent_encoded(number.page),
                     escape(number.fragment), escape(human_number(estimate->value, 4)));
}

std::string values(const Gpus& gpus, const SharedNumber& number) {
  std::string out;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    out += fmt::format("<td class=\"n\" data-gpu=\"{}\">{}</td>", escape(gpus[i].name()),
                       value_link(gpus[i], number, number.on[i]));
  }
  return out;
}

std::string unit_of(const SharedNumber& number) {
  for (const Estimate* estimate : number.on) {
    if (estimate != nullptr) return unit_text(estimate->unit);
  }
  return {};
}

std::string ratio_text(const GpuDifference& difference) {
  return difference.share ? fmt::format("{:.0f} points", 100 * difference.ratio)
                          : fmt::format("\xC3\x97 {:.2f}", difference.ratio);
}

std::string state(const Gpus& gpus, const GpuDifference& difference) {
  if (!difference.confirmed && difference.cause != nullptr) {
    return element("td", "state", "cause: " + difference.cause->name);
  }
  if (difference.second == nullptr) return "<td class=\"state open\"><b>open</b></td>";
  const SharedNumber& second = *difference.second;
  return fmt::format("<td class=\"state {0}\"><b>{1}</b> {2} {3}: {4} and {5}, \xC3\x97 {6:.2f}</td>",
                     difference.confirmed ? "confirmed" : "open", difference.confirmed ? "confirmed" : "open",
                     escape(second.id), escape(second.estimate),
                     value_link(gpus[difference.least], second, second.on[difference.least]),
                     value_link(gpus[difference.most], second, second.on[difference.most]), difference.second_ratio);
}

std::string difference_row(const Gpus& gpus, const GpuDifference& difference) {
  const SharedNumber& number = *difference.number;
  return "<tr><td class=\"what\">" + escape(number.id) + element("span", "", number.estimate + ", " + unit_of(number)) +
         "</td>" + values(gpus, number) + element("td", "n v", ratio_text(difference)) + state(gpus, difference) +
         "</tr>\n";
}

std::string group_row(const Gpus& gpus, const DifferenceGroup& group) {
  const GpuDifference& most = group.rows.front();
  const std::string counts = fmt::format("{} of {} numbers: {} confirmed, {} open", group.rows.size(), group.compared,
                                         group.confirmed(), group.open());
  // The id without the name of the group, which is above it.
  std::string id = most.number->id;
  if (id.starts_with(group.group)) id.erase(0, group.group.size() + (id.starts_with(group.group + "/") ? 1 : 0));
  return "<tr><td class=\"what\"><b>" + escape(group.group) + "</b>" + (id.empty() ? "" : element("span", "", id)) +
         element("span", "", group.estimate + (unit_of(*most.number).empty() ? "" : ", " + unit_of(*most.number))) +
         "</td>" + values(gpus, *most.number) + element("td", "n v", ratio_text(most)) + element("td", "", counts) +
         state(gpus, most) + "</tr>\n";
}

std::vector<std::string> heads(const Gpus& gpus, bool counts) {
  std::vector<std::string> all = {counts ? "largest difference of" : "row"};
  for (const ReportedGpu& gpu : gpus) all.push_back("#" + gpu.name());
  all.emplace_back("#ratio");
  if (counts) all.emplace_back("beyond 20 %");
  all.emplace_back("second method");
  return all;
}

/// Each cause with the number of differences that are of it, confirmed or not.
std::string causes_list(const GpuDifferences& all) {
  std::vector<std::pair<const DifferenceCause*, std::size_t>> causes;
  for (const DifferenceGroup& group : all.groups) {
    for (const GpuDifference& each : group.rows) {
      if (each.cause == nullptr) continue;
      const auto at = std::ranges::find(causes, each.cause, &std::pair<const DifferenceCause*, std::size_t>::first);
      if (at != causes.end()) {
        ++at->second;
      } else {
        causes.emplace_back(each.cause, 1);
      }
    }
  }
  std::string items;
  for (const auto& [cause, count] : causes) {
    items += fmt::format("<li><b>{}</b> ({} of the differences): {}</li>\n", escape(cause->name), count,
                         escape(cause->says));
  }
  return items.empty() ? "" : "<ul>\n" + items + "</ul>\n";
}

std::string differences_section(const Gpus& gpus) {
  if (gpus.size() < 2) return {};
  const auto& notes = known_difference_notes();
  if (!notes) return element("p", "warn", notes.error().message());
  const std::vector<SharedNumber> numbers = shared_numbers(gpus);
  const GpuDifferences all = find_differences(numbers, *notes);
  std::string out = section_head("differences", "Where the GPUs differ");
  out += fmt::format(
      "<p class=\"asks\">{} numbers were measured on more than one GPU. {} differ by more than 20 % with disjoint "
      "intervals; shares count if they differ by more than 20 points. A difference is confirmed if another row that "
      "measures the quantity in another way shows it too: in the same direction, and between half and twice as large. "
      "{} are confirmed; {} more are of a known cause; {} are open. Each line below is the largest difference of a "
      "probe "
      "or of a family of instructions.</p>",
      all.compared, all.differ, all.confirmed, all.differ - all.confirmed - all.open, all.open);
  if (all.other_code > 0)
    out += fmt::format(
        "<p class=\"asks\">{} more are not compared: records of different commits timed other machine code.</p>",
        all.other_code);
  if (all.groups.empty()) return out + "</section>\n";
  out += causes_list(all);
  std::string groups = "\n", every = "\n";
  for (const DifferenceGroup& group : all.groups) {
    groups += group_row(gpus, group);
    for (const GpuDifference& each : group.rows) every += difference_row(gpus, each);
  }
  return out + scroll_table("where the GPUs differ", "differences", heads(gpus, true), groups) +
         fmt::format("<details class=\"every\"><summary>All {} differences</summary>", all.differ) +
         scroll_table("all differences", "differences", heads(gpus, false), every) + "</details></section>\n";
}

std::string fact_row(const Gpus& gpus, std::string_view name, const auto& of) {
  std::string cells;
  bool any = false;
  for (const ReportedGpu& gpu : gpus) {
    const std::string text = of(gpu);
    any = any || !text.empty();
    cells += "<td>" + text + "</td>";
  }
  return any ? fmt::format("<tr><th scope=\"row\">{}</th>{}</tr>\n", name, cells) : "";
}

std::string pages_of(const ReportedGpu& gpu) {
  const std::string folder = percent_encoded(gpu.folder) + "/";
  std::string out = fmt::format("<a href=\"{}index.html\">overview</a>", folder);
  for (const auto& [suite, record] : gpu.results) {
    out += fmt::format(" <a href=\"{}{}\">{}</a>", folder, percent_encoded(ReportedGpu::page_of(suite)),
                       escape(page_name(suite)));
  }
  if (gpu.table != nullptr) out += fmt::format(" <a href=\"{}instructions.html\">instructions</a>", folder);
  if (gpu.machine != nullptr) out += fmt::format(" <a href=\"{}machine.html\">machine instructions</a>", folder);
  for (const auto& [of, table] : gpu.kernels) {
    out += fmt::format(" <a href=\"{}{}\">{}</a>", folder, percent_encoded(ReportedGpu::page_of(of, "cases.html")),
                       escape(page_name(of, "predictions")));
  }
  return out;
}

std::string gpus_section(const Gpus& gpus) {
  std::vector<std::string> names = {""};
  for (const ReportedGpu& gpu : gpus) names.push_back(gpu.name());
  std::string out = "\n" + fact_row(gpus, "pages", pages_of);
  out += fact_row(gpus, "hardware", [](const ReportedGpu& gpu) {
    const DeviceFacts& d = gpu.device();
    std::vector<std::string> facts = {d.arch,
                                      d.chip,
                                      d.sms > 0 ? fmt::format("{} SMs", d.sms) : "",
                                      requested_clock(d),
                                      d.l2_bytes > 0 ? "L2 " + known_bytes(d.l2_bytes) : "",
                                      known_bytes(d.memory_bytes)};
    std::erase(facts, "");
    return escape(join(facts, ", "));
  });
  out += fact_row(gpus, "driver", [](const ReportedGpu& gpu) {
    return gpu.results.empty() ? "" : escape(gpu.results.begin()->second->provenance.driver);
  });
  out += fact_row(gpus, "measured on", [](const ReportedGpu& gpu) {
    return gpu.results.empty() ? "" : escape(gpu.results.begin()->second->provenance.date.substr(0, 10));
  });
  return section_head("gpus", "GPUs") + scroll_table("GPUs", "gpus", names, out) + "</section>\n";
}

}  // namespace

std::string render_index(const std::vector<ReportedGpu>& gpus, const PagePlace& place) {
  std::string main =
      "<section class=\"hero\"><h1>Measured GPUs</h1><p class=\"rule\">Cycles of instructions and memory "
      "accesses. Every number has machine code that was proven to be what it claims.</p></section>\n";
  main += gpus_section(gpus) + differences_section(gpus) + main_numbers(gpus, true);
  const auto tables = std::ranges::count_if(gpus, [](const ReportedGpu& gpu) { return gpu.table != nullptr; });
  if (tables > 1) {
    main += "<p class=\"note\">All instructions of all GPUs: <a href=\"instructions.html\">one table</a>.</p>";
  }
  return overview_page("Measured GPUs", place, main);
}

}  // namespace warpclock
