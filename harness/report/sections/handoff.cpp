#include "report/sections/handoff.hpp"

#include <algorithm>

#include "base/lookup.hpp"
#include "record/outline.hpp"

namespace warpclock {
namespace {

constexpr const char* estimate_name = "round_trip";

void add(Handoffs& all, const HandoffSource& source, const std::string& by, const CaseRecord& row) {
  const Estimate* estimate = published(row, estimate_name);
  const auto at = std::ranges::find_if(
      all.measured, [&](const Handoff& each) { return each.within == source.within && each.by == by; });
  if (estimate == nullptr) {
    const CaseRecord*& first = find_or_add(all.missing, by + ", " + source.within);
    if (first == nullptr) first = &row;
    return;
  }
  const double cycles = estimate->value / 2;
  if (at == all.measured.end()) {
    all.measured.push_back({source.within, by, cycles, cycles, &row, 1});
    return;
  }
  ++at->cases;
  at->longest = std::max(at->longest, cycles);
  if (cycles >= at->cycles) return;
  at->cycles = cycles;
  at->row = &row;
}

}  // namespace

Handoffs handoffs(const std::vector<HandoffSource>& sources, const Record& record) {
  Handoffs all;
  for (const HandoffSource& source : sources) {
    for (const CaseRecord& row : record.cases) {
      if (row.probe != source.probe) continue;
      if (const auto by = substitute(source.by, row.parameters)) add(all, source, *by, row);
    }
  }
  std::erase_if(all.missing, [&](const auto& missing) {
    return std::ranges::any_of(all.measured,
                               [&](const Handoff& each) { return each.by + ", " + each.within == missing.first; });
  });
  const auto place = [&](const Handoff& each) {
    return std::ranges::find(sources, each.within, &HandoffSource::within) - sources.begin();
  };
  std::ranges::stable_sort(all.measured, {}, [&](const Handoff& each) { return std::pair(place(each), each.cycles); });
  return all;
}

}  // namespace warpclock
