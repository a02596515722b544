#include "answer/words/suite_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "analyze/estimates.hpp"
#include "answer/numbers/clock_words.hpp"
#include "answer/numbers/device_words.hpp"
#include "answer/numbers/figures.hpp"
#include "base/text.hpp"
#include "record/outcome.hpp"
#include "record/select/selected.hpp"
#include "record/shared.hpp"
#include "record/variation.hpp"

namespace warpclock {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

Json said(const Facts& facts) {
  Json out = Json::array();
  for (const auto& [name, text] : facts) {
    if (!text.empty()) out.push_back({name, text});
  }
  return out;
}

Json provenance_of(const Record& record) {
  const Provenance& p = record.provenance;
  std::string duration = p.duration_s > 0 ? human_duration(p.duration_s) : std::string();
  if (!duration.empty()) {
    duration +=
        fmt::format(": verified after {}, measured for {}", human_duration(p.compile_s), human_duration(p.measure_s));
  }
  return said({{"commit", p.commit.empty() || !p.dirty ? p.commit : p.commit + " with local changes"},
               {"version", p.version},
               {"date", p.date},
               {"resumed", resumed_in_words(record)},
               {"toolkit", p.toolkit},
               {"NVRTC", p.nvrtc},
               {"nvdisasm", p.nvdisasm},
               {"driver", p.driver},
               {"counters", p.counters},
               {"duration", duration},
               {"board", board_in_words(record.device)},
               {"host cores", p.host_cores > 0 ? std::to_string(p.host_cores) : ""},
               {"command", join(p.argv, " ")}});
}

/// {name of a parameter: {"unit": bytes of one, "shown": its name without the unit}}
Json byte_parameters(const Record& record) {
  Json out = Json::object();
  for (const CaseRecord& row : record.cases) {
    for (const auto& [name, value] : row.parameters) {
      if (const std::int64_t unit = bytes_of_parameter(name))
        out[name] = {{"unit", unit}, {"shown", parameter_name(name)}};
    }
  }
  return out;
}

/// A sentence if the measured latency and the encoded distance of a measured case disagree.
std::string encoded_words(const CaseRecord& row) {
  if (row.outcome != Outcome::Measured || !row.window.encoded_cycles) return {};
  const auto slope = std::ranges::find(row.estimates, "slope", &Estimate::method);
  return slope == row.estimates.end() ? "" : disagreement(*slope, *row.window.encoded_cycles).value_or("");
}

/// One for each row, as the record has them.
Json row_words(const Record& record, const Variations& variations) {
  Json out = Json::array();
  bool any = false;
  for (const CaseRecord& row : record.cases) {
    Json words = Json::object();
    if (const std::string text = encoded_words(row); !text.empty()) words["encoded"] = text;
    if (is_shared(row)) words["shared"] = true;
    for (const Estimate& estimate : row.estimates) {
      if (const auto cause = variations.cause(row, estimate))
        words["varies"].push_back({{"name", estimate.name}, {"text", cause->words()}});
    }
    any = any || !words.empty();
    out.push_back(std::move(words));
  }
  return any ? out : Json();
}

/// [[MHz, lowest, highest], ...]: the SM clock around each feature that is a rate; null for others.
Json feature_clocks(const Record& record) {
  Json out = Json::array();
  std::map<std::string, std::vector<const CaseRecord*>> cases;
  for (const CaseRecord& row : record.cases) cases[row.probe].push_back(&row);
  for (const Feature& feature : record.features) {
    const SmClock clock = feature.unit == rate_unit ? clock_of(cases_of(feature, cases[feature.probe])) : SmClock{};
    out.push_back(clock.mhz > 0
                      ? Json{clock.mhz, clock.moved() ? clock.low : clock.mhz, clock.moved() ? clock.high : clock.mhz}
                      : Json());
  }
  return out;
}

/// The middle of long PTX is in result.json.gz alone: PTX is half of a record.
void shorten(std::string& ptx) {
  constexpr std::size_t most = 32;
  std::vector<std::string> all = lines(ptx);
  if (all.size() <= most + 3) return;
  const std::size_t left_out = all.size() - most;
  const auto from = all.begin() + most / 2;
  *from = fmt::format("// ... {} more lines are in result.json.gz ...", left_out);
  all.erase(from + 1, from + static_cast<std::ptrdiff_t>(left_out));
  ptx = join(all, "\n");
}

}  // namespace

Json device_facts(const DeviceFacts& device, const std::string& measured_clock) {
  std::string memory = known_bytes(device.memory_bytes);
  if (!memory.empty() && device.memory_bus_bits > 0) memory += fmt::format(", {} bit", device.memory_bus_bits);
  if (!memory.empty() && device.page_bytes > 0) memory += ", in pages of " + known_bytes(device.page_bytes);
  const std::string requested = requested_clock(device);
  const std::string clock =
      measured_clock.empty() ? requested : measured_clock + " measured" + (requested.empty() ? "" : ", " + requested);
  return said({{"architecture", device.arch},
               {"chip", device.chip},
               {"SMs", device.sms > 0 ? std::to_string(device.sms) : ""},
               {"L2", known_bytes(device.l2_bytes)},
               {"shared / SM", known_bytes(device.shared_per_sm_bytes)},
               {"memory", memory},
               {"SM clock", clock},
               {"memory clock, max", known_megahertz(device.memory_clock_max_mhz)},
               {"ECC", device.ecc},
               {"clocks", clocks_in_words(device)},
               {"other GPUs", join(device.peers, "; ")}});
}

Record shown_part(Record record) {
  for (CaseRecord& row : record.cases) shorten(row.ptx);
  return record;
}

Json suite_extras(const Record& record) {
  const Variations variations(record);
  Json extras = {{"facts", device_facts(record.device, measured_clocks(record))},
                 {"provenance", provenance_of(record)},
                 {"clock", clock_in_words(record.provenance)},
                 {"bytes", byte_parameters(record)},
                 {"encoded_tolerance", encoded_tolerance_cycles},
                 {"clocks", feature_clocks(record)}};
  for (const std::string& warning : {shared_in_words(record), timer_warning(record.provenance.timer)})
    if (!warning.empty()) extras["warnings"].push_back(warning);
  for (const FamilyOutline& family : outline(record, variations))
    for (const ProbeOutline& probe : family.probes) extras["probes"].push_back(probe_words(record, probe));
  const std::pair<const char*, Json> parts[] = {
      {"rows", row_words(record, variations)}, {"published", published_words(record, "")},
      {"picture", picture_words(record)},      {"tensor", tensor_words(record)},
      {"handoffs", handoff_words(record)},     {"pipelines", pipeline_words(record)}};
  for (const auto& [name, part] : parts)
    if (!part.is_null()) extras[name] = part;
  return extras;
}

}  // namespace warpclock
