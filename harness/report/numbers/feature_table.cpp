#include "report/numbers/feature_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "base/text.hpp"
#include "plan/sweep.hpp"
#include "record/select/selected.hpp"
#include "report/numbers/figures.hpp"

namespace warpclock {
namespace {

constexpr double kibi = 1024;

/// A position on the axis. Positions in the thousands are mostly bytes and are shown as such.
std::string place(double value) {
  if (!(value >= kibi && value < 1e18)) return fmt::format("{:.4g}", value);
  return fmt::format("{} ({})", human_bytes(static_cast<std::uint64_t>(std::round(value))), fixed(value, 0));
}

std::string number(const Feature& feature, double value) {
  if (feature.unit.empty() || feature.unit == "B") return place(value);
  // The digits after the point were measured, so they are shown even for an integer.
  const double almost[] = {value + 0.001};
  return fixed(value, decimals(almost)) + " " + feature.unit;
}

std::string evidence(const Feature& feature) {
  constexpr double almost_certain = 0.9995;
  if (feature.confidence >= almost_certain) return "over 99.9 % sure";
  if (feature.confidence > 0) return fmt::format("{:.1f} % sure", 100 * feature.confidence);
  if (feature.to > 0) {
    return fmt::format("{} to {}, residual {:.2f} %", place(feature.from), place(feature.to), 100 * feature.residual);
  }
  return "";
}

}  // namespace

std::vector<FeatureLine> feature_lines(const ProbeOutline& probe) {
  std::vector<FeatureLine> lines;
  const auto all_sms = [&](const Feature& feature) {
    const auto rate = feature.unit == rate_unit ? gigabytes_per_second(feature.value, feature.unit, probe.sms,
                                                                       clock_of(cases_of(feature, probe.cases)))
                                                : std::nullopt;
    return rate ? " (" + gigabytes_text(*rate) + ")" : "";
  };
  for (const Feature* feature : probe.features) {
    Parameters shown;
    for (const auto& parameter : feature->parameters) {
      if (find(probe.fixed, parameter.first) == nullptr) shown.push_back(parameter);
    }
    lines.push_back(
        {.curve = to_string(shown),
         .name = feature->name,
         .where = feature->where.empty() ? "\xE2\x80\x93" : feature->where,
         .value = number(*feature, feature->value) + all_sms(*feature),
         .interval = fmt::format("{} to {}", number(*feature, feature->low), number(*feature, feature->high)),
         .confidence = evidence(*feature),
         .note = feature->note});
  }
  return lines;
}

}  // namespace warpclock
