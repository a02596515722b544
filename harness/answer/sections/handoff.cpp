#include "answer/sections/handoff.hpp"

#include <algorithm>

#include "base/lookup.hpp"
#include "record/outline.hpp"
#include "record/select/selected.hpp"

namespace warpclock {
namespace {

void add(Handoffs& all, const HandoffSource& source, const std::string& by, const Selected& one) {
  const CaseRecord* row = one.cases.front();
  const auto at = std::ranges::find_if(
      all.measured, [&](const Handoff& each) { return each.within == source.within && each.by == by; });
  if (at == all.measured.end()) {
    all.measured.push_back({source.within, by, one.value, one.value, row, 1});
    return;
  }
  ++at->cases;
  at->longest = std::max(at->longest, one.value);
  if (one.value >= at->cycles) return;
  at->cycles = one.value;
  at->row = row;
}

}  // namespace

Handoffs handoffs(const std::vector<HandoffSource>& sources, const Record& record) {
  Handoffs all;
  for (const HandoffSource& source : sources) {
    for (const Selected& one : selected(record, source.from))
      if (const auto by = substitute(source.by, one.cases.front()->parameters)) add(all, source, *by, one);
    for (const CaseRecord& row : record.cases) {
      if (!means(source.from, row, record.device) || published(row, source.from.name) != nullptr) continue;
      const auto by = substitute(source.by, row.parameters);
      if (!by) continue;
      const CaseRecord*& first = find_or_add(all.missing, *by + ", " + source.within);
      if (first == nullptr) first = &row;
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
