#include "report/markdown/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/escape.hpp"
#include "base/files/marked.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "record/outcome.hpp"
#include "record/outline.hpp"
#include "record/shared.hpp"
#include "report/markdown/markdown_table.hpp"
#include "report/numbers/answer.hpp"
#include "report/numbers/clock_words.hpp"
#include "report/numbers/figures.hpp"
#include "report/sections/picture.hpp"

namespace warpclock {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::vector<std::string> there;
  for (const std::string& part : parts) {
    if (!part.empty()) there.push_back(part);
  }
  return join(there, ", ");
}

std::string probe_link(const std::string& name) {
  return fmt::format("[{}](report.html#probe:{})", markdown_text(name), percent_encoded(name));
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

std::string header(const Record& record, const PagePlace& place) {
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

/// The memory system from the SM outwards; nothing if the record has none of its numbers.
std::string memory_table(const Record& record) {
  const Expected<Picture>& known = known_picture();
  if (!known) return {};
  const Picture picture = fill(*known, record);
  if (!picture.any()) return {};
  MarkdownTable table({"place", "number", "#value", "", "probe"});
  const auto rows = [&](const std::string& place, const std::vector<PictureRow>& all) {
    for (const PictureRow& row : all) {
      const std::string probe = row.found ? row.found->probe : "";
      table.row({markdown_text(place), markdown_text(row.label), markdown_text(row.value), markdown_text(row.more),
                 probe.empty() ? (row.found ? "stated by the driver" : "") : probe_link(probe)});
    }
  };
  for (std::size_t i = 0; i < picture.levels.size(); ++i) {
    const PictureLevel& level = picture.levels[i];
    for (const PictureBox& box : level.boxes) rows(box.name.empty() ? level.name : box.name, box.rows);
    if (i + 1 < picture.levels.size()) rows(level.name + " to " + picture.levels[i + 1].name, level.link);
  }
  return "## The memory system\n\n" + table.text();
}

/// "latency 23.0 cycles; rate 128 B/clk/SM, 33405 GB/s"
std::string answer(const Record& record, const ProbeOutline& probe) {
  std::vector<std::string> parts;
  for (const Headline& each : answers(record, probe)) {
    const std::string unit = each.unit.empty() || each.unit == each.name ? "" : " " + each.unit;
    parts.push_back(each.name + " " + each.value + unit + (each.all_sms.empty() ? "" : ", " + each.all_sms));
  }
  return parts.empty() ? "nothing is published" : join(parts, "; ");
}

std::string probe_table(const Record& record) {
  MarkdownTable table({"probe", "question", "answer"});
  for (const FamilyOutline& family : outline(record)) {
    for (const ProbeOutline& probe : family.probes)
      table.row({probe_link(probe.probe.name), markdown_text(probe.probe.asks), markdown_text(answer(record, probe))});
  }
  return table.empty() ? "" : "## Probes\n\n" + table.text();
}

/// Rows with the same reason are listed under it.
std::string unpublished(const Record& record) {
  struct Group {
    std::string why;
    std::vector<std::string> ids;
  };
  std::vector<Group> groups;
  for (const CaseRecord& row : record.cases) {
    if (row.outcome == Outcome::Measured) continue;
    const std::string why = fmt::format("{} at {}, {}: {}", word(row.outcome), markdown_text(row.reason.stage),
                                        markdown_code(row.reason.code), markdown_text(row.reason.text));
    find_or_add(groups, why, &Group::why).ids.push_back(markdown_code(row.id));
  }
  std::string out;
  for (const Group& group : groups) out += "- " + group.why + " (" + join(group.ids, ", ") + ")\n";
  return out.empty() ? out : "## Not published\n\n" + out + "\n";
}

}  // namespace

std::string render_markdown(const Record& record, const PagePlace& place) {
  return fmt::format("{}\n", markdown_mark) + header(record, place) + memory_table(record) + probe_table(record) +
         unpublished(record) + markdown_text(clock_in_words(record.provenance)) + "\n";
}

}  // namespace warpclock
