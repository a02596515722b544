#include "analyze/fixed_latency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/fit.hpp"

namespace warpclock {
namespace {

constexpr double five_digits = 1e-3;  // of records

bool is_whole(double value) { return std::abs(value - std::round(value)) < five_digits; }

bool is_within(double value, double low, double high) {
  return value >= low - five_digits && value <= high + five_digits;
}

bool always_the_same(const Samples& samples) {
  return std::ranges::all_of(samples, [](const Series& series) {
    return std::ranges::all_of(series.cycles, [&](double one) { return one == series.cycles.front(); });
  });
}

/// The whole number of cycles that the latency is; nothing if none or several are in the interval.
std::optional<double> whole_latency(const ChainFacts& facts, double low, double high) {
  if (facts.encoded) {
    const bool fits = is_whole(*facts.encoded) && is_within(*facts.encoded, low, high);
    return fits ? std::optional(std::round(*facts.encoded)) : std::nullopt;
  }
  const double first = std::ceil(low - five_digits), last = std::floor(high + five_digits);
  return first == last && !facts.mixed ? std::optional(first) : std::nullopt;
}

}  // namespace

void state_fixed_latency(Estimate& latency, const Samples& samples, const ChainFacts& facts) {
  if (is_whole(latency.value) || !always_the_same(samples)) return;
  const auto steps = steps_of(samples);
  if (!steps) return;
  const double low = std::min(latency.low, steps->least - facts.links);
  const double high = std::max(latency.high, steps->most - facts.links);
  const auto whole = whole_latency(facts, low, high);
  if (!whole) return;
  if (!latency.note.empty()) latency.note += "; ";
  latency.note +=
      fmt::format("the line through the windows has {:.2f}, whose ends differ by a few cycles", latency.value);
  latency.value = *whole;
  latency.low = low;
  latency.high = high;
}

std::optional<std::string> encoded_mean(const Estimate& latency, const Estimate& encoded) {
  if (is_within(encoded.value, latency.low, latency.high) || is_whole(encoded.value)) return std::nullopt;
  return fmt::format(
      "{}: {:.2f} cycles are measured and {:.2f} encoded: ptxas makes the copies of several opcodes or with several "
      "stall counts, and each is a mean, the encoded one over the smallest window",
      latency.name, latency.value, encoded.value);
}

}  // namespace warpclock
