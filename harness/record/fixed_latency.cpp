#include "record/fixed_latency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "analyze/fit.hpp"
#include "base/lookup.hpp"

namespace warpclock {
namespace {

constexpr double rounding = 1e-3;  // records have five digits

bool is_whole(double value) { return std::abs(value - std::round(value)) < rounding; }

bool always_the_same(const Samples& samples) {
  return std::ranges::all_of(samples, [](const Series& series) {
    return std::ranges::all_of(series.cycles, [&](double one) { return one == series.cycles.front(); });
  });
}

double links_of(const InstructionRun& run) {
  double links = 0;
  for (const auto& [opcode, cycles] : run.via) links += cycles;
  return links;
}

bool alternates(const InstructionRecord& row) {
  return std::ranges::any_of(row.labels, [](const std::string& label) { return label.starts_with("alternates"); });
}

/// The whole number of cycles that the latency is; nothing if none or several are in the interval.
std::optional<double> whole_latency(const InstructionRecord& row, const InstructionRun& run, double low, double high) {
  if (run.encoded_cycles) {
    const double encoded = *run.encoded_cycles - links_of(run);
    const bool in = encoded >= low - rounding && encoded <= high + rounding;
    return is_whole(encoded) && in ? std::optional(std::round(encoded)) : std::nullopt;
  }
  const double first = std::ceil(low - rounding), last = std::floor(high + rounding);
  return first == last && !alternates(row) ? std::optional(first) : std::nullopt;
}

void state(const InstructionRecord& row, const InstructionRun& run, Estimate& latency) {
  const auto samples = run.samples.find(1);
  if (samples == run.samples.end() || run.trips != 1 || is_whole(latency.value) || !always_the_same(samples->second))
    return;
  const auto steps = steps_of(samples->second);
  if (!steps) return;
  const double links = links_of(run);
  const double low = std::min(latency.low, steps->least - links), high = std::max(latency.high, steps->most - links);
  const auto whole = whole_latency(row, run, low, high);
  if (!whole) return;
  if (!latency.note.empty()) latency.note += "; ";
  latency.note +=
      fmt::format("the line through the windows has {:.2f}, whose ends differ by a few cycles", latency.value);
  latency.value = *whole;
  latency.low = low;
  latency.high = high;
}

/// Why a mean over copies is encoded that the interval does not hold, if it is.
std::optional<std::string> mean_in_words(const Estimate& latency, const Estimate& encoded) {
  const bool in = encoded.value >= latency.low - rounding && encoded.value <= latency.high + rounding;
  if (in || is_whole(encoded.value)) return std::nullopt;
  return fmt::format(
      "{}: {:.2f} cycles are measured and {:.2f} encoded: ptxas makes the copies of several opcodes or with several "
      "stall counts, and each is a mean, the encoded one over the smallest window",
      latency.name, latency.value, encoded.value);
}

}  // namespace

void state_fixed_latencies(InstructionRecord& row) {
  constexpr std::string_view prefix = "latency";
  for (const InstructionRun& run : row.runs) {
    if (!run.verified() || !run.measure.starts_with(prefix)) continue;
    const auto latency = std::ranges::find(row.estimates, run.measure, &Estimate::name);
    if (latency == row.estimates.end()) continue;
    state(row, run, *latency);
    const std::string operand = run.measure.substr(std::min(prefix.size() + 1, run.measure.size()));
    const Estimate* encoded = find_by(row.estimates, "encoded." + operand, &Estimate::name);
    const bool said =
        std::ranges::any_of(row.findings, [&](const std::string& one) { return one.starts_with(run.measure + ":"); });
    if (encoded == nullptr || said) continue;
    if (auto words = mean_in_words(*latency, *encoded)) row.findings.push_back(*std::move(words));
  }
}

}  // namespace warpclock
