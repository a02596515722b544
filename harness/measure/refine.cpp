#include "measure/refine.hpp"

#include <algorithm>

#include "plan/plan.hpp"
#include "record/refinement.hpp"
#include "record/trace.hpp"

namespace warpclock {
namespace {

constexpr int rounds = 3;
constexpr std::size_t points_of_a_round = 3;  // for each bracket; each round makes it four times narrower

const Probe& probe_of(const Suite& suite, const std::string& name) {
  return *std::ranges::find_if(suite.probes,
                               [&](const Probe& probe) { return probe.family + "/" + probe.name == name; });
}

/// The last row of the point's curve before the point. It exists because a bracket begins at a point of the curve.
std::size_t neighbour_of(const Record& record, const Refinement& wanted, const std::string& axis) {
  CaseRecord row;
  row.parameters = wanted.point;
  const Parameters curve = curve_of(row, axis);
  const auto place = [&](const Parameters& point) { return std::get<std::int64_t>(*find(point, axis)); };
  std::size_t found = 0;
  for (std::size_t i = 0; i < record.cases.size(); ++i) {
    const CaseRecord& other = record.cases[i];
    if (other.probe == wanted.probe && curve_of(other, axis) == curve &&
        place(other.parameters) < place(wanted.point)) {
      found = i;
    }
  }
  return found;
}

template <class T>
void insert_after(std::vector<T>& items, std::size_t i, T item) {
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(item));
}

}  // namespace

Expected<void> refine_curves(const Suite& suite, CaseTable& table, Record& record, const MeasureCase& measure) {
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Refinement> wanted = refinements(record, points_of_a_round);
    if (wanted.empty()) return {};
    for (const Refinement& point : wanted) {
      const Probe& probe = probe_of(suite, point.probe);
      const std::size_t before = neighbour_of(record, point, probe.along);
      auto made = WARPCLOCK_TRY(case_at(probe, point.point, table.cases[before].arch));
      insert_after(table.cases, before, std::move(made));
      insert_after(table.compiled, before, CompiledCase(table.compiled[before]));
      insert_after(record.cases, before, table.row(before + 1, nullptr));
      record.cases[before + 1] = WARPCLOCK_TRY(measure(before + 1));
    }
  }
  return {};
}

}  // namespace warpclock
