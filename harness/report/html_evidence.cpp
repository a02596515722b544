#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/statistics.hpp"
#include "base/text.hpp"
#include "report/chart.hpp"
#include "report/escape.hpp"
#include "report/figures.hpp"
#include "report/html_parts.hpp"
#include "report/outcome.hpp"

namespace warpclock {
namespace {

/// The opcodes that the window is about: those that occur most often, the clock reads left out.
std::vector<std::string> targets(const WindowRecord& window) {
  int most = 0;
  const auto counts = [](const std::string& opcode) {
    return !opcode.starts_with("CS2R") && !opcode.starts_with("S2");
  };
  for (const auto& [opcode, count] : window.opcodes) {
    if (counts(opcode)) most = std::max(most, count);
  }
  std::vector<std::string> names;
  for (const auto& [opcode, count] : window.opcodes) {
    if (counts(opcode) && count == most) names.push_back(opcode);
  }
  return names;
}

/// The first word of a line's instruction that is a target stands out, clock reads recede.
std::string instruction_line(const std::string& line, const std::vector<std::string>& names) {
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t", at);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t;", begin), line.size());
    const std::string word = line.substr(begin, end - begin);
    const bool clock = word.starts_with("CS2R") || word.starts_with("S2UR");
    if (clock || std::find(names.begin(), names.end(), word) != names.end()) {
      return escape(line.substr(0, begin)) + element(clock ? "i" : "b", "", word) + escape(line.substr(end)) + "\n";
    }
    at = end + 1;
  }
  return escape(line) + "\n";
}

/// The scheduling field that stands before the instruction, "B0----5:R-:W2:Y:S04", or nothing.
std::string control_of(const std::string& line) {
  const std::size_t end = line.find("  ");
  const bool has_one = end != std::string::npos && line.starts_with('B') && line.find(":S") < end;
  return has_one ? line.substr(0, end) : std::string();
}

std::string sass_figure(const WindowRecord& window) {
  const std::vector<std::string> names = targets(window);
  std::string controls, instructions;
  for (const std::string& line : window.sass) {
    const std::string control = control_of(line);
    controls += escape(control) + "\n";
    instructions += instruction_line(control.empty() ? line : line.substr(control.size() + 2), names);
  }
  const bool any_control = controls.find_first_not_of('\n') != std::string::npos;
  return fmt::format(
      "<figure><figcaption>SASS between the clock reads <span>{} instructions</span></figcaption>"
      "<div class=\"sass\" tabindex=\"0\">{}<pre>{}</pre></div></figure>",
      window.sass.size(), any_control ? "<pre class=\"control\">" + controls + "</pre>" : "", instructions);
}

std::string window_block(const CaseRecord& row) {
  if (row.window.sass.empty() && row.ptx.empty()) return {};
  std::string out = "<div class=\"code\">";
  if (!row.window.sass.empty()) out += sass_figure(row.window);
  if (!row.ptx.empty()) {
    out += fmt::format("<figure><figcaption>PTX it came from</figcaption><pre tabindex=\"0\">{}</pre></figure>",
                       escape(row.ptx));
  }
  return out + "</div>";
}

/// The cycles furthest from their series' median, over all repeat counts: one scale for all strips of a case.
double reach(const Samples& samples) {
  double furthest = 1;
  for (const Series& series : samples) {
    const double centre = median(sorted_finite(series.cycles));
    for (const double value : series.cycles) {
      if (std::isfinite(value)) furthest = std::max(furthest, std::abs(value - centre));
    }
  }
  return furthest;
}

std::string samples_card(const CaseRecord& row) {
  if (row.samples.empty()) return {};
  const double span = reach(row.samples);
  std::string rows, raw;
  for (const Series& series : row.samples) {
    const double centre = median(sorted_finite(series.cycles));
    const int places = decimals(series.cycles);
    double least = std::nan(""), most = std::nan("");
    for (const double value : series.cycles) {
      least = std::isnan(least) ? value : std::min(least, value);
      most = std::isnan(most) ? value : std::max(most, value);
      raw += (raw.empty() || raw.back() == '\n' ? fmt::format("n={}:", series.n) : std::string()) + " " +
             fixed(value, places);
    }
    raw += '\n';
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}\xE2\x80\x93{}</td><td>{}</td></tr>", series.n,
                        fixed(centre, places), fixed(least, places), fixed(most, places),
                        draw_strip(series.cycles, centre, span));
  }
  return fmt::format(
      "<section><h5>Samples <span>cycles of the whole window, one a launch; strips span \xC2\xB1{}</span></h5>"
      "<table class=\"mini\"><thead><tr><th scope=\"col\">n</th><th scope=\"col\">median</th><th "
      "scope=\"col\">range</th>"
      "<th scope=\"col\">launches</th></tr></thead><tbody>{}</tbody></table>"
      "<details><summary>raw samples</summary><pre>{}</pre></details></section>",
      human_number(span), rows, raw);
}

std::string estimates_card(const CaseRecord& row) {
  if (row.estimates.empty() || row.outcome != Outcome::Measured) return {};
  std::string out =
      "<section><h5>Estimates</h5><table class=\"mini\"><thead><tr><th scope=\"col\">name</th><th "
      "scope=\"col\">value</th>"
      "<th scope=\"col\">interval</th><th scope=\"col\">method</th></tr></thead><tbody>";
  for (const Estimate& e : row.estimates) {
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{} <i>{}</i></td><td>{}\xE2\x80\x93{}</td><td>{}, {} samples{}</td></tr>",
        escape(e.name), escape(human_number(e.value, 6)), escape(e.unit), human_number(e.low, 6),
        human_number(e.high, 6), escape(e.method), e.n, e.note.empty() ? "" : "; " + escape(e.note));
  }
  return out + "</tbody></table></section>";
}

std::string premises_card(const CaseRecord& row) {
  if (row.premises.empty()) return {};
  std::string out = "<section><h5>Premises</h5><ul class=\"marks\">";
  for (const Premise& p : row.premises) {
    const std::string state = !p.known ? "unknown" : p.held ? "held" : "broken";
    out += fmt::format(
        "<li class=\"{}\">{} <i>{}</i></li>", state, escape(p.text),
        p.known ? fmt::format("{}: {}", state, human_number(p.value, 6)) : "unknown: " + escape(p.why_unknown));
  }
  return out + "</ul></section>";
}

std::string unit_of(const Record& record, const std::string& metric) {
  for (const MetricRecord& each : record.metrics) {
    if (each.name == metric) return each.unit;
  }
  return {};
}

std::string counters_card(const PageContext& page, const CaseRecord& row) {
  if (row.counters.empty() && row.facts.empty() && row.counters_missing.empty()) return {};
  std::string out = "<section><h5>Counters and facts <span>from launches of their own</span></h5><dl class=\"pairs\">";
  for (const auto& [name, value] : row.counters) {
    out += fmt::format("<div>{}<dd>{} <i>{}</i></dd></div>", element("dt", "", name), human_number(value, 5),
                       escape(unit_of(page.record, name)));
  }
  for (const auto& [name, value] : row.facts) {
    out += fmt::format("<div>{}<dd>{}</dd></div>", element("dt", "", name), human_number(value, 6));
  }
  out += "</dl>";
  if (!row.counters_missing.empty()) out += element("p", "missing", "No counters: " + row.counters_missing);
  return out + "</section>";
}

std::string clock_card(const CaseRecord& row) {
  const ClockReading& clock = row.clock;
  if (clock.sm_mhz <= 0) return {};
  std::string out = "<section><h5>Conditions</h5><dl class=\"pairs\">";
  const auto pair = [&](std::string_view name, double value, std::string_view unit, int places) {
    if (value > 0) out += fmt::format("<div><dt>{}</dt><dd>{} <i>{}</i></dd></div>", name, fixed(value, places), unit);
  };
  pair("SM clock", clock.sm_mhz, "MHz", 1);
  pair("memory clock", clock.memory_mhz, "MHz", 0);
  pair("power", clock.power_w, "W", 0);
  pair("temperature", clock.temperature_c,
       "\xC2\xB0"
       "C",
       0);
  const std::string throttle = clock.throttle.empty() ? "none" : join(clock.throttle, ", ");
  out += fmt::format("<div><dt>throttle</dt>{}</div></dl></section>",
                     element("dd", clock.throttle.empty() ? "" : "warn", throttle));
  return out;
}

std::string window_card(const CaseRecord& row) {
  const WindowRecord& window = row.window;
  if (window.verdict.empty()) return {};
  std::string out = "<section><h5>Window</h5><dl class=\"pairs\">";
  out += "<div><dt>verdict</dt>" + element("dd", "", window.verdict) + "</div>";
  if (!window.label.empty()) out += "<div><dt>label</dt>" + element("dd", "", window.label) + "</div>";
  if (window.encoded_cycles) {
    out += fmt::format("<div><dt>encoded distance</dt><dd>{} <i>cycles</i></dd></div>",
                       human_number(*window.encoded_cycles, 5));
  }
  if (!window.sass_hash.empty()) out += "<div><dt>hash</dt>" + element("dd", "hash", window.sass_hash) + "</div>";
  out += "</dl><ul class=\"ops\">";
  for (const auto& [opcode, count] : window.opcodes) {
    out += fmt::format("<li>{}<i>\xC3\x97{}</i></li>", escape(opcode), count);
  }
  return out + "</ul></section>";
}

}  // namespace

std::string html_evidence(const PageContext& page, const CaseRecord& row) {
  std::string out = fmt::format(
      "<div class=\"in\"><p class=\"id\"><a href=\"#{0}\">{1}</a><button type=\"button\" class=\"copy\" "
      "hidden=\"\">copy "
      "link</button></p>",
      escape(anchor(row.id)), escape(row.id));
  if (row.outcome != Outcome::Measured) {
    out += fmt::format("<p class=\"reason {}\"><b>{} at {}: {}</b> {}</p>", word(row.outcome), word(row.outcome),
                       escape(row.reason.stage), escape(row.reason.code), escape(row.reason.text));
  }
  out += window_block(row);
  out += "<div class=\"cards\">" + estimates_card(row) + samples_card(row) + window_card(row) + premises_card(row) +
         counters_card(page, row) + clock_card(row) + "</div></div>";
  return out;
}

}  // namespace warpclock
