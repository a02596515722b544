#include "check/row_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "check/error_summary.hpp"
#include "predict/prediction_output.hpp"
#include "record/record.hpp"

namespace warpclock {
namespace {

std::string signed_number(double value) { return fmt::format("{:+.1f}", value); }

std::string predicted_text(const KernelPrediction& one) {
  if (!one.refused.empty()) return "    predicted  nothing: " + one.refused + "\n";
  return fmt::format("    predicted  {} cycles; {}\n", range_text(one.low, one.high), shares_text(one.bounds));
}

std::string library_line(const KernelRow& row) {
  if (!row.library) return {};
  const LibraryMeasurement& one = *row.library;
  const std::string more = one.missing.empty() ? fmt::format(", {:.2f} us by events", one.us) : ": " + one.missing;
  return "    library    " + library_text(row) + more + "\n";
}

std::string measured_text(const KernelRow& row) {
  const KernelMeasurement& one = *row.measurement;
  std::string text =
      fmt::format("    measured   {:.0f} cycles ({:.0f} to {:.0f}) by {}, {:.2f} us by events at {:.0f} MHz\n",
                  one.cycles, one.cycles_low, one.cycles_high, one.by, one.us, row.clock.sm_mhz);
  if (const auto error = error_of(row)) text += "    error      " + error_text(*error) + "\n";
  text += library_line(row);
  if (one.limiter.empty())
    return text + "    limiter    not known: " +
           (row.counters_missing.empty() ? std::string("no counters") : row.counters_missing) + "\n";
  const auto agrees = limiter_agrees(row);
  const std::string verdict = !agrees ? "" : *agrees ? "; as predicted" : "; predicted " + row.prediction.limiter;
  // A resource that is hardly used decides nothing.
  const bool decides = !one.shares.empty() && one.shares.front().name == one.limiter;
  const std::string by = decides ? " by " + one.shares.front().counter : "";
  return text + fmt::format("    limiter    {}{}: {}{}\n", one.limiter, by, shares_text(one.shares), verdict);
}

}  // namespace

std::string error_text(const SignedError& error) {
  const std::string low = signed_number(error.low), high = signed_number(error.high);
  return low == high ? low + " %" : low + " to " + high + " %";
}

std::string shares_text(const std::vector<ResourceShare>& shares, std::size_t most) {
  std::vector<std::string> parts;
  for (const ResourceShare& one : shares) {
    if (parts.size() == most) break;
    parts.push_back(fmt::format("{} {:.0f} %", one.name, 100 * one.share));
  }
  return join(parts, ", ");
}

std::string library_text(const KernelRow& row) {
  if (!row.library) return {};
  const LibraryMeasurement& one = *row.library;
  if (!one.missing.empty()) return one.name + " was not timed";
  return fmt::format("{:.0f} % of {} {}", 100 * one.share, one.name, one.version);
}

std::string row_text(const KernelRow& row, const Style& style) {
  std::string text = style.bold(row.id) + "\n" + predicted_text(row.prediction);
  if (row.measurement) return text + measured_text(row);
  return text + fmt::format("    {:<10} {}: {}\n", word(row.outcome), row.reason.code, row.reason.text);
}

std::string table_text(const KernelTable& table) {
  std::vector<std::string> counts;
  for (const Outcome outcome : outcomes) {
    const auto count = std::ranges::count(table.rows, outcome, &KernelRow::outcome);
    if (count > 0) counts.push_back(fmt::format("{} {}", count, word(outcome)));
  }
  std::string text = join(counts, ", ");
  const auto refused =
      std::ranges::count_if(table.rows, [](const auto& row) { return !row.prediction.refused.empty(); });
  if (refused > 0) text += fmt::format("; {} without a prediction", refused);
  text += "\n";
  for (const std::string& line : error_lines(table.rows)) text += line + "\n";
  return text;
}

}  // namespace warpclock
