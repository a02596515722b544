#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/escape.hpp"
#include "record/outcome.hpp"
#include "record/outline.hpp"
#include "report/html/html_parts.hpp"
#include "report/instructions/machine_parts.hpp"
#include "report/numbers/answer.hpp"
#include "report/overview/index_html.hpp"
#include "report/overview/overview_parts.hpp"

namespace warpclock {
namespace {

std::string page_row(const std::string& href, const std::string& name, const std::string& has, std::size_t measured,
                     std::size_t rest, const Provenance& provenance) {
  return fmt::format(
             "<tr><th scope=\"row\"><a href=\"{}\">{}</a><span>{}</span></th><td class=\"n\">{}</td><td "
             "class=\"n\">{}</td>",
             percent_encoded(href), escape(name), escape(has), measured, rest) +
         element("td", "", provenance.date.substr(0, 10)) + element("td", "mono", provenance.commit.substr(0, 12)) +
         "</tr>\n";
}

std::string families_of(const Record& record) {
  std::string out;
  std::set<std::string> seen;
  for (const CaseRecord& row : record.cases) {
    if (seen.insert(row.family).second) out += (out.empty() ? "" : ", ") + row.family;
  }
  return out;
}

std::string pages_section(const ReportedGpu& gpu) {
  std::string out;
  for (const auto& [suite, record] : gpu.results) {
    const auto measured = static_cast<std::size_t>(tally(*record)[static_cast<std::size_t>(Outcome::Measured)]);
    out += page_row(ReportedGpu::page_of(suite), page_name(suite), families_of(*record), measured,
                    record->cases.size() - measured, record->provenance);
  }
  if (gpu.table != nullptr) {
    const auto measured =
        static_cast<std::size_t>(std::ranges::count(gpu.table->rows, Outcome::Measured, &InstructionRecord::outcome));
    out += page_row("instructions.html", "instructions", "every PTX instruction: latency, rate, pipe, machine code",
                    measured, gpu.table->rows.size() - measured, gpu.table->provenance);
  }
  if (gpu.machine != nullptr) {
    const MachineCounts all = count_rows(*gpu.machine);
    out += page_row("machine.html", "machine instructions",
                    "latency, minimum stall count, issue interval; which pairs overlap", all.measured,
                    all.rows - all.measured, gpu.machine->provenance);
  }
  for (const auto& [folder, table] : gpu.kernels) {
    const auto measured =
        static_cast<std::size_t>(std::ranges::count(table->rows, Outcome::Measured, &KernelRow::outcome));
    out += page_row(ReportedGpu::page_of(folder, "cases.html"), page_name(folder, "predictions"),
                    "kernels: predicted cycles next to measured ones", measured, table->rows.size() - measured,
                    table->provenance);
  }
  return section_head("pages", "Pages") +
         scroll_table("pages", "pages-of", {"page", "#measured", "#without a number", "measured on", "by commit"},
                      "\n" + out) +
         "</section>\n";
}

std::string answer_row(const std::string& suite, const Record& record, const ProbeOutline& probe) {
  std::string values;
  for (const Headline& each : answers(record, probe)) {
    values += fmt::format("<span class=\"g\"><i>{}</i> <b>{}</b> {}{}</span>", escape(each.name), escape(each.value),
                          escape(each.unit), each.all_sms.empty() ? "" : ", " + each.all_sms);
  }
  if (values.empty()) values = badge(*probe.cases.front());
  return fmt::format("<tr><th scope=\"row\"><a href=\"{}#{}\">{}</a><span>{}</span></th><td>{}</td></tr>\n",
                     percent_encoded(ReportedGpu::page_of(suite)), escape(probe_anchor(probe.probe.name)),
                     escape(probe.probe.name), escape(probe.probe.asks), values);
}

/// The answer of each probe, by family; of a probe that several suites run, that of the first.
std::string answers_section(const ReportedGpu& gpu) {
  std::map<std::string, std::string> families;
  std::set<std::string> seen;
  for (const auto& [suite, record] : gpu.results) {
    for (const FamilyOutline& family : outline(*record)) {
      for (const ProbeOutline& probe : family.probes) {
        if (seen.insert(probe.probe.name).second) families[family.name] += answer_row(suite, *record, probe);
      }
    }
  }
  if (families.empty()) return {};
  std::string out = section_head("answers", "What each probe found") + "<ul class=\"jump\">";
  for (const auto& [name, rows] : families) {
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>", escape(family_anchor(name)), escape(name));
  }
  out += "</ul>";
  for (const auto& [name, rows] : families) {
    out += fmt::format("<h3 id=\"{}\">{}</h3>", escape(family_anchor(name)), escape(name)) +
           scroll_table(name, "answers", {"probe", "answer"}, "\n" + rows);
  }
  return out + "</section>\n";
}

}  // namespace

std::string render_gpu(const ReportedGpu& gpu, const PagePlace& place) {
  const std::string main = "<section class=\"hero\">" + element("h1", "", gpu.name()) +
                           html_device_facts(gpu.device()) + "</section>\n" + pages_section(gpu) +
                           main_numbers({gpu}, false) + answers_section(gpu);
  return overview_page(gpu.name() + ", overview", place, main);
}

}  // namespace warpclock
