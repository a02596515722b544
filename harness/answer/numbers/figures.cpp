#include "answer/numbers/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "answer/numbers/quantity_value.hpp"
#include "base/text.hpp"

namespace warpclock {

int decimals(std::span<const double> values) {
  double largest = 0;
  bool whole = true;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    largest = std::max(largest, std::abs(value));
    whole = whole && std::floor(value) == value;
  }
  return whole || largest >= 1e5 ? 0 : largest >= 1000 ? 1 : largest >= 10 ? 2 : 3;
}

int decimals(const ProbeOutline& probe, const std::string& name) {
  std::vector<double> values;
  bool fitted = false;
  for (const CaseRecord* row : probe.cases) {
    const Estimate* estimate = published(*row, name);
    if (!estimate) continue;
    values.insert(values.end(), {estimate->value, estimate->low, estimate->high});
    fitted = fitted || estimate->method == "slope" || estimate->method == "rate";
  }
  const int places = decimals(values);
  const bool small = std::all_of(values.begin(), values.end(), [](double value) { return std::abs(value) < 1000; });
  return fitted && places == 0 && small ? 2 : places;
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "\xE2\x80\x93";
  std::string text = std::abs(value) >= 1e15 ? fmt::format("{:.3e}", std::abs(value))
                                             : fmt::format("{:.{}f}", std::abs(value), decimals);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return value < 0 && !zero ? "\xE2\x88\x92" + text : text;
}

std::string known_bytes(std::int64_t count) {
  return count > 0 ? human_bytes(static_cast<std::uint64_t>(count)) : std::string();
}

std::string requested_clock(const DeviceFacts& device) {
  const std::string most = known_megahertz(device.sm_clock_max_mhz);
  return most.empty() ? most : "up to " + most + " requested";
}

std::string known_megahertz(double value) { return value > 0 ? fixed(value, 0) + " MHz" : std::string(); }

std::string signed_percent(double share) {
  const std::string text = fixed(100 * share, 1);
  return (share > 0 && text != "0.0" ? "+" : "") + text + " %";
}

std::string interval(const Estimate& estimate, int decimals) {
  const double below = estimate.value - estimate.low, above = estimate.high - estimate.value;
  const bool exact = estimate.method == "fact" || estimate.method == "counter" || estimate.method == "encoded";
  if (exact || !std::isfinite(below) || !std::isfinite(above) || below < 0 || above < 0) return {};
  return "\xC2\xB1" + fixed(std::max(below, above), decimals);
}

std::vector<Headline> headlines(const ProbeOutline& probe) {
  std::vector<Headline> out;
  for (const std::string& name : probe.estimates) {
    std::vector<double> values;
    const Estimate* top = nullptr;
    const CaseRecord* top_row = nullptr;
    for (const CaseRecord* row : probe.cases) {
      const Estimate* estimate = published(*row, name);
      if (!estimate || !std::isfinite(estimate->value)) continue;
      values.push_back(estimate->value);
      if (!top || estimate->value > top->value) top = estimate, top_row = row;
    }
    if (!top) continue;
    const int places = decimals(probe, name);
    const bool bytes = top->unit == "B";
    const auto text = [&](double value) { return bytes ? bytes_text(value) : fixed(value, places); };
    Headline headline{name, text(top->value), bytes ? "" : top->unit, {}, {}};
    if (const auto rate = gigabytes_per_second(probe, *top_row, *top)) headline.all_sms = gigabytes_text(*rate);
    if (top->method == "rate" && values.size() > 1) {
      headline.detail =
          "highest of " + std::to_string(values.size()) + ", at " + parameters_text(*top_row, probe.varying);
    } else {
      const std::string low = text(*std::min_element(values.begin(), values.end()));
      if (low != headline.value) headline.value = low + " \xE2\x80\x93 " + headline.value;
      headline.detail = values.size() == 1 ? "1 case" : std::to_string(values.size()) + " cases";
    }
    out.push_back(std::move(headline));
    if (out.size() == 4) break;
  }
  return out;
}

}  // namespace warpclock
