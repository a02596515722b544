#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "record/outcome.hpp"
#include "record/shared.hpp"
#include "report/html/html_parts.hpp"
#include "report/numbers/clock_words.hpp"
#include "report/numbers/figures.hpp"

namespace warpclock {
namespace {

std::string fact(std::string_view name, const std::string& value) {
  return value.empty() ? std::string() : fmt::format("<div><dt>{}</dt>{}</div>", name, element("dd", "", value));
}

/// `clock` is what is known of the SM clock.
std::string facts(const DeviceFacts& device, const std::string& clock, const std::string& pages) {
  std::string memory = known_bytes(device.memory_bytes);
  if (!memory.empty() && device.memory_bus_bits > 0) memory += fmt::format(", {} bit", device.memory_bus_bits);
  if (!memory.empty() && device.page_bytes > 0) memory += ", in pages of " + known_bytes(device.page_bytes);
  return "<dl class=\"facts\">" + fact("architecture", device.arch) + fact("chip", device.chip) +
         fact("SMs", device.sms > 0 ? std::to_string(device.sms) : "") + fact("L2", known_bytes(device.l2_bytes)) +
         fact("shared / SM", known_bytes(device.shared_per_sm_bytes)) + fact("memory", memory) +
         fact("SM clock", clock) + fact("memory clock, max", known_megahertz(device.memory_clock_max_mhz)) +
         fact("ECC", device.ecc) + fact("clocks", clocks_in_words(device)) + fact("board", board_in_words(device)) +
         fact("other GPUs", join(device.peers, "; ")) + fact("not measured on this GPU", pages) + "</dl>";
}

std::string clocks_of(const Record& record) {
  const std::string measured = measured_clocks(record), requested = requested_clock(record.device);
  if (measured.empty()) return requested;
  return measured + " measured" + (requested.empty() ? "" : ", " + requested);
}

/// Its links to pages that were not measured on the same GPU.
PagePlace of_other_gpus(PagePlace place) {
  std::erase_if(place.links, [](const PageLink& link) { return link.gpu == same_gpu_words; });
  return place;
}

std::string warning(const std::string& text) {
  return text.empty() ? text : "<p class=\"warning\" role=\"alert\">" + escape(text) + ".</p>";
}

/// A bar with the outcomes in proportion, and their counts as text.
std::string verdict_line(const Record& record) {
  const Tally counts = tally(record);
  const double all = static_cast<double>(std::max<std::size_t>(record.cases.size(), 1));
  std::string bar, text;
  double at = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const double share = 100.0 * counts[i] / all;
    if (counts[i] > 0) {
      bar +=
          fmt::format("<rect class=\"{}\" x=\"{:.2f}\" width=\"{:.2f}\" height=\"6\"/>", word(outcomes[i]), at, share);
    }
    at += share;
    if (!worth_telling(outcomes[i], counts[i])) continue;
    text += fmt::format("<li class=\"{0}\"><b>{1}</b> {0}</li>", word(outcomes[i]), counts[i]);
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"share\" viewBox=\"0 0 100 6\" "
      "preserveAspectRatio=\"none\" aria-hidden=\"true\">{}</svg><ul class=\"tally\">{}</ul>",
      bar, text);
}

std::string provenance(const Record& record) {
  const Provenance& p = record.provenance;
  std::string duration = p.duration_s > 0 ? human_duration(p.duration_s) : std::string();
  if (!duration.empty()) {
    duration +=
        fmt::format(": verified after {}, measured for {}", human_duration(p.compile_s), human_duration(p.measure_s));
  }
  return "<details class=\"provenance\"><summary>Provenance</summary><dl class=\"pairs\">" +
         fact("commit", p.commit.empty() || !p.dirty ? p.commit : p.commit + " with local changes") +
         fact("version", p.version) + fact("date", p.date) + fact("resumed", resumed_in_words(record)) +
         fact("toolkit", p.toolkit) + fact("NVRTC", p.nvrtc) + fact("nvdisasm", p.nvdisasm) + fact("driver", p.driver) +
         fact("counters", p.counters) + fact("duration", duration) +
         fact("host cores", p.host_cores > 0 ? std::to_string(p.host_cores) : "") + fact("command", join(p.argv, " ")) +
         "</dl></details>";
}

}  // namespace

std::string html_device_facts(const DeviceFacts& device) { return facts(device, requested_clock(device), ""); }

std::string html_header(const PageContext& page) {
  const Record& record = page.record;
  return "<section id=\"device\" class=\"hero\">" + element("h1", "", page_title(record, page.place)) +
         facts(record.device, clocks_of(record), pages_in_words(of_other_gpus(page.place))) + verdict_line(record) +
         warning(shared_in_words(record)) + warning(timer_warning(record.provenance.timer)) +
         "<p class=\"rule\">A number is published only when its window is verified: the machine code between the two "
         "clock "
         "reads was disassembled and proven to be what the probe claims. Every row opens to that code; the code of a "
         "curve is below its table. Rows that failed are listed with their reason. " +
         escape(clock_in_words(record.provenance)) + "</p>" +
         "<noscript><p class=\"warning\">The tables of cases need JavaScript; report.md has their values, and "
         "result.json.gz "
         "all that was measured.</p></noscript>" +
         provenance(record) + "</section>\n";
}

}  // namespace warpclock
