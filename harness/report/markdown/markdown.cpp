#include "report/markdown/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/files/marked.hpp"
#include "base/text.hpp"
#include "record/outcome.hpp"
#include "record/shared.hpp"
#include "report/markdown/markdown_parts.hpp"
#include "report/markdown/markdown_table.hpp"
#include "report/numbers/answer.hpp"
#include "report/numbers/clock_words.hpp"
#include "report/numbers/figures.hpp"

namespace warpclock {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::vector<std::string> there;
  for (const std::string& part : parts) {
    if (!part.empty()) there.push_back(part);
  }
  return join(there, ", ");
}

/// Links to the pages that a code host can show.
std::string pages(const PagePlace& place) {
  std::vector<std::string> links;
  for (const PageLink& link : place.links) {
    if (link.here) continue;
    const std::string href = replace_all(link.href, ".html", ".md");
    links.push_back(fmt::format("[{}]({}) ({})", markdown_text(link.text), href, link.gpu));
  }
  return join(links, ", ");
}

}  // namespace

std::string markdown_header(const Record& record, const PagePlace& place) {
  const Provenance& p = record.provenance;
  const DeviceFacts& d = record.device;
  MarkdownTable table({"", ""});
  const auto fact = [&](const char* name, const std::string& value) {
    if (!value.empty()) table.row({name, value});
  };
  fact("GPU", markdown_text(joined({d.name, d.arch, d.chip, d.sms > 0 ? fmt::format("{} SMs", d.sms) : ""})));
  const std::string measured = measured_clocks(record);
  fact("SM clock", joined({measured.empty() ? "" : measured + " measured", requested_clock(d)}));
  fact("memory",
       markdown_text(joined(
           {known_bytes(d.memory_bytes), d.memory_bus_bits > 0 ? fmt::format("{} bit", d.memory_bus_bits) : "",
            known_megahertz(d.memory_clock_max_mhz), d.l2_bytes > 0 ? "L2 " + known_bytes(d.l2_bytes) : "",
            d.page_bytes > 0 ? "in pages of " + known_bytes(d.page_bytes) : "", d.ecc.empty() ? "" : "ECC " + d.ecc})));
  fact("board", markdown_text(board_in_words(d)));
  fact("clocks", markdown_text(clocks_in_words(d)));
  fact("other pages", pages(place));
  fact("other GPUs", markdown_text(join(d.peers, "; ")));
  fact("date", markdown_text(p.date));
  fact("resumed", markdown_text(resumed_in_words(record)));
  fact("commit", p.commit.empty() ? "" : markdown_code(p.commit) + (p.dirty ? " with local changes" : ""));
  fact("software", markdown_text(joined(
                       {p.version.empty() ? "" : "warpclock " + p.version, p.toolkit.empty() ? "" : "CUDA " + p.toolkit,
                        p.nvrtc.empty() ? "" : "NVRTC " + p.nvrtc, p.nvdisasm.empty() ? "" : "nvdisasm " + p.nvdisasm,
                        p.driver.empty() ? "" : "driver " + p.driver})));
  fact("command", markdown_code(join(p.argv, " ")));
  fact("counters", markdown_text(p.counters));
  if (p.duration_s > 0) {
    fact("duration", fmt::format("{}: verified after {}, measured for {}", human_duration(p.duration_s),
                                 human_duration(p.compile_s), human_duration(p.measure_s)));
  }
  std::vector<std::string> warnings = {shared_in_words(record), timer_warning(p.timer)};
  std::erase(warnings, "");
  const Tally counts = tally(record);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (worth_telling(outcomes[i], counts[i])) words.push_back(fmt::format("{} {}", counts[i], word(outcomes[i])));
  }
  return "# " +
         markdown_text((d.name.empty() ? "Unknown GPU" : d.name) + (place.suite.empty() ? "" : ", " + place.suite)) +
         "\n\n" +
         fmt::format(
             "{} cases: {}. Every number has machine code that was proven to be what its probe claims. The code is in "
             "[report.html](report.html) and, with the raw samples, in [result.json.gz](result.json.gz).\n\n",
             record.cases.size(), join(words, ", ")) +
         (warnings.empty() ? "" : "**" + markdown_text(join(warnings, ". ")) + ".**\n\n") + table.text();
}

std::string markdown_findings(const Record& record) {
  std::string encoded, throttled, shared, unknown;
  int compared = 0;
  for (const CaseRecord& one : record.cases) {
    if (is_shared(one)) shared += "- " + markdown_code(one.id) + "\n";
    if (one.outcome != Outcome::Measured) continue;
    for (const Estimate& estimate : one.estimates) {
      if (estimate.method != "encoded") continue;
      ++compared;
      if (!estimate.note.empty()) encoded += "- " + markdown_code(one.id) + ": " + markdown_text(estimate.note) + "\n";
    }
    if (!one.clock.throttle.empty()) {
      throttled += "- " + markdown_code(one.id) + ": " + markdown_text(join(one.clock.throttle, ", ")) + "\n";
    }
    for (const Premise& premise : one.premises) {
      if (premise.known) continue;
      unknown += "- " + markdown_code(one.id) + ": " + markdown_text(premise.text + ": " + premise.why_unknown) + "\n";
    }
  }
  std::string out = "## Findings\n\n";
  if (!encoded.empty()) {
    out += "Measured and encoded cycles disagree:\n\n" + encoded + "\n";
  } else if (compared > 0) {
    out += fmt::format("All {} latencies of fixed-latency chains agree with the cycles that their encoding states.\n\n",
                       compared);
  }
  out += throttled.empty() ? "No case was measured while the GPU was throttled.\n\n"
                           : "Measured while the GPU was throttled:\n\n" + throttled + "\n";
  if (!shared.empty()) out += "Shared: measured while other work ran on the GPU:\n\n" + shared + "\n";
  if (const std::string moved = moved_clocks_in_words(record); !moved.empty()) out += markdown_text(moved) + ".\n\n";
  if (!unknown.empty()) out += "Premises that could not be checked:\n\n" + unknown + "\n";
  return out;
}

namespace {

std::string markdown_headlines(const Record& record, const std::vector<FamilyOutline>& families) {
  MarkdownTable table({"probe", "number", "#value", "unit", ""});
  for (const FamilyOutline& family : families) {
    for (const ProbeOutline& probe : family.probes) {
      for (const Headline& headline : answers(record, probe)) {
        const std::string comma = headline.all_sms.empty() || headline.detail.empty() ? "" : ", ";
        table.text_row({probe.probe.name, headline.name, headline.value, headline.unit,
                        headline.all_sms + comma + headline.detail});
      }
    }
  }
  return table.empty() ? "" : "## At a glance\n\n" + table.text();
}

}  // namespace

std::string render_markdown(const Record& record, const PagePlace& place) {
  const std::vector<FamilyOutline> families = outline(record);
  std::string out = fmt::format("{}\n", markdown_mark) + markdown_header(record, place) + markdown_memory(record) +
                    markdown_tensor(record) + markdown_handoffs(record) + markdown_pipelines(record) +
                    markdown_headlines(record, families) + markdown_findings(record);
  for (const FamilyOutline& family : families) {
    out += "## " + markdown_text(family.name) + "\n\n";
    for (const ProbeOutline& probe : family.probes) out += markdown_probe(record, probe);
  }
  if (!record.metrics.empty()) {
    out += "## Counters\n\n";
    for (const MetricRecord& metric : record.metrics) {
      out += "- " + markdown_code(metric.name) + (metric.unit.empty() ? "" : " (" + markdown_text(metric.unit) + ")") +
             ": " + markdown_text(metric.text) + "\n";
    }
    out += '\n';
  }
  return out +
         "Intervals: 95 % of the spread of the launches, and what the samples lack of a line. Where a value has none, "
         "it is "
         "narrower than the digits shown. Overhead is the line's intercept: the cost of a window that holds "
         "nothing.\n\n" +
         markdown_text(clock_in_words(record.provenance)) + "\n";
}

}  // namespace warpclock
