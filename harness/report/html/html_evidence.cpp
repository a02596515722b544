#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "gpu/job/statistics.hpp"
#include "record/outcome.hpp"
#include "report/html/html_parts.hpp"
#include "report/numbers/figures.hpp"

namespace warpclock {
namespace {

/// The largest distance in cycles from a series' median over all repeat counts: all strips of a case share one scale.
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

/// "64\xE2\x80\x93" "66"; nothing if both ends are the same.
std::string span_text(const std::string& low, const std::string& high) {
  return low == high ? std::string() : low + "\xE2\x80\x93" + high;
}

/// " 65 \xC3\x9731 66": consecutive equal values are shown once, with their number.
std::string raw_samples(const std::vector<double>& values, int places) {
  std::string out;
  for (std::size_t at = 0; at < values.size();) {
    std::size_t end = at + 1;
    while (end < values.size() && values[end] == values[at]) ++end;
    out += ' ' + fixed(values[at], places);
    if (end - at > 1) out += fmt::format("\xC3\x97{}", end - at);
    at = end;
  }
  return out;
}

/// The script adds the columns that follow from the raw samples.
std::string samples_card(const CaseRecord& row) {
  if (row.samples.empty()) return {};
  std::string rows, raw;
  for (const Series& series : row.samples) {
    const double centre = median(sorted_finite(series.cycles));
    const int places = decimals(series.cycles);
    if (!series.cycles.empty()) raw += fmt::format("n={}:{}", series.n, raw_samples(series.cycles, places));
    raw += '\n';
    rows += fmt::format("<tr><th>{}</th><td>{}</td></tr>", series.n, fixed(centre, places));
  }
  return fmt::format(
      "<section class=\"samples\"><h5>Samples <span>cycles of the whole window, one a launch; strips span "
      "\xC2\xB1{}</span></h5>"
      "<table class=\"mini\"><thead><tr><th>n</th><th>median</th><th>range</th>"
      "<th>launches</th></tr></thead><tbody>{}</tbody></table>"
      "<details><summary>raw samples</summary><pre>{}</pre></details></section>",
      human_number(reach(row.samples)), rows, raw);
}

std::string estimates_card(const PageContext& page, const CaseRecord& row) {
  if (row.estimates.empty()) return {};
  std::string out =
      "<section><h5>Estimates</h5><table class=\"mini\"><thead><tr><th>name</th><th>value</th>"
      "<th>interval</th><th>method</th></tr></thead><tbody>";
  for (const Estimate& e : row.estimates) {
    const auto cause = page.variations.cause(row, e);
    std::string note = e.note;
    if (cause) note += (note.empty() ? "" : "; ") + ("may come out otherwise in another process: " + cause->words());
    out += fmt::format("<tr><th>{}</th><td>{} <i>{}</i></td><td>{}</td><td>{}, {} samples{}</td></tr>", escape(e.name),
                       escape(human_number(e.value, 6)), escape(e.unit),
                       span_text(human_number(e.low, 6), human_number(e.high, 6)), escape(e.method), e.n,
                       note.empty() ? "" : "; " + escape(note));
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

std::string counters_card(const PageContext& page, const CaseRecord& row) {
  if (row.counters.empty() && row.facts.empty() && row.counters_missing.empty()) return {};
  std::string out = "<section><h5>Counters and facts <span>from launches of their own</span></h5><dl class=\"pairs\">";
  for (const auto& [name, value] : row.counters) {
    out += fmt::format("<div>{}<dd>{} <i>{}</i></dd></div>", element("dt", "", name), human_number(value, 5),
                       escape(metric_unit(page.record, name)));
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
  std::string clocks = "SM " + fixed(clock.sm_mhz, 1) + " MHz", power;
  if (sm_clock(clock).moved()) clocks += " (" + clock_text(sm_clock(clock)) + ")";
  if (clock.memory_mhz > 0) clocks += ", memory " + fixed(clock.memory_mhz, 0) + " MHz";
  if (const auto watts = mean_power_w(clock)) power = fixed(*watts, 0) + " W over " + fixed(clock.energy_s, 2) + " s";
  if (clock.temperature_c > 0) power += (power.empty() ? "" : ", ") + fixed(clock.temperature_c, 0) + " \xC2\xB0" + "C";
  const std::string throttle = row.clock.throttle.empty()
                                   ? "not throttled"
                                   : element("span", "warn", "throttled: " + join(clock.throttle, ", "));
  return "<section><h5>Conditions</h5><p class=\"conditions\">" + clocks + (power.empty() ? "" : "; ") + power + "; " +
         throttle + "</p></section>";
}

}  // namespace

std::string html_window_card(const CaseRecord& row) {
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

std::string html_reason(const CaseRecord& row) {
  if (row.outcome == Outcome::Measured) return {};
  return fmt::format("<p class=\"reason {}\"><b>{} at {}: {}</b> {}</p>", word(row.outcome), word(row.outcome),
                     escape(row.reason.stage), escape(row.reason.code), escape(row.reason.text));
}

std::string html_evidence(const PageContext& page, const CaseRecord& row) {
  const std::string same = html_same(page, row);
  return fmt::format(
             "<div class=\"in\"><p class=\"id\"><a href=\"#{0}\">{1}</a><button type=\"button\" class=\"copy\">copy "
             "link</button></p>",
             escape(anchor(row.id)), escape(row.id)) +
         html_reason(row) + (same.empty() ? html_code(row) : same) + "<div class=\"cards\">" +
         estimates_card(page, row) + samples_card(row) + html_window_card(row) + premises_card(row) +
         counters_card(page, row) + clock_card(row) + "</div></div>";
}

Json html_folds(const PageContext& page) {
  constexpr std::array<std::string_view, 10> begins = {"<div class=\"code\">",
                                                       "</pre><pre>",
                                                       "<figcaption>PTX",
                                                       "<div class=\"cards\">",
                                                       "<section class=\"samples\">",
                                                       "<details>",
                                                       "<section><h5>Window",
                                                       "<section><h5>Premises",
                                                       "<section><h5>Counters",
                                                       "<section><h5>Conditions"};
  Json ids = Json::array(), pieces(begins.size() + 1, Json::array());
  const auto add = [&](const CaseRecord& row) {
    ids.push_back(anchor(row.id));
    const std::string markup = html_evidence(page, row);
    std::size_t at = 0;
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const std::size_t end = std::min(markup.find(begins[i], at), markup.size());
      const bool has = end < markup.size();
      pieces[i].push_back(has ? markup.substr(at, end - at) : "");
      if (has) at = end;
    }
    pieces.back().push_back(markup.substr(at));
  };
  for (const FamilyOutline& family : page.families) {
    for (const ProbeOutline& probe : family.probes) {
      if (is_curve(probe)) continue;
      for (const CaseRecord* row : probe.cases) add(*row);
    }
  }
  if (ids.empty()) return {};
  return {{"ids", std::move(ids)}, {"pieces", std::move(pieces)}};
}

}  // namespace warpclock
