#include "answer/instructions/timed_code.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "answer/numbers/device_words.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "record/outcome.hpp"

namespace warpclock {
namespace {

/// `interval` is the reciprocal of the throughput, and `saturation` a point of a grid.
bool is_compared(const std::string& estimate) {
  return estimate.starts_with("latency.") || estimate == "throughput" || estimate == "issue";
}

bool has_chosen_values(const InstructionRecord& row) { return row.id.ends_with(']') && row.id.contains('='); }

}  // namespace

std::string timed_code(const TabledRow& of, const std::string& estimate) {
  const InstructionRecord& row = of.row;
  if (!row.forms.empty()) return row.forms.front();
  const auto own = std::ranges::find(row.runs, estimate, &InstructionRun::measure);
  const InstructionRun* run = own == row.runs.end() ? row.throughput_run() : &*own;
  if (run == nullptr || run->sass_hash.empty()) return {};
  return has_chosen_values(row) ? run->sass_hash + ' ' + of.table.provenance.commit : run->sass_hash;
}

std::vector<std::string> of_other_code(const TabledRow& one, const TabledRow& other) {
  std::vector<std::string> names;
  if (one.row.arch != other.row.arch) return names;
  if (one.row.outcome != Outcome::Measured || other.row.outcome != Outcome::Measured) return names;
  for (const Estimate& estimate : one.row.estimates) {
    const Estimate* second = find_by(other.row.estimates, estimate.name, &Estimate::name);
    if (second == nullptr || !is_compared(estimate.name)) continue;
    if (estimate.low <= second->high && second->low <= estimate.high) continue;
    const std::string code = timed_code(one, estimate.name), others = timed_code(other, estimate.name);
    if (!code.empty() && !others.empty() && code != others) names.push_back(estimate.name);
  }
  return names;
}

std::string other_code_in_words(const TabledRow& one, const TabledRow& other) {
  constexpr std::size_t digits = 8;
  const std::vector<std::string> names = of_other_code(one, other);
  if (names.empty()) return {};
  return fmt::format("{}: no comparison with {}, whose record timed other machine code (commits {} and {})",
                     join(names, ", "), name_of(other.table.device), one.table.provenance.commit.substr(0, digits),
                     other.table.provenance.commit.substr(0, digits));
}

}  // namespace warpclock
