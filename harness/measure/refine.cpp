#include "measure/refine.hpp"

#include <algorithm>
#include <numeric>

#include "analyze/curve/levels.hpp"
#include "plan/plan.hpp"
#include "record/trace.hpp"

namespace warpclock {
namespace {

constexpr double per_cent = 100;

double common_factor(const Curve& curve) {
  std::int64_t factor = 0;
  for (const CurvePoint& point : curve.points) factor = std::gcd(factor, static_cast<std::int64_t>(point.at));
  return static_cast<double>(factor);
}

Parameters with(Parameters parameters, const std::string& axis, double at) {
  for (auto& [name, value] : parameters) {
    if (name == axis) value = static_cast<std::int64_t>(at);
  }
  return parameters;
}

}  // namespace

std::vector<Refinement> refinements(const Record& record, std::size_t most) {
  std::vector<Refinement> wanted;
  for (const ProbeRecord& probe : record.probes) {
    for (const FeatureQuery& find : probe.finds) {
      if (find.what != FeatureQuery::What::Levels || find.within <= 0) continue;
      for (const Trace& trace : traces_of(record, probe, find)) {
        const RefineOptions options{find.within / per_cent, most, common_factor(trace.curve)};
        for (const double at : refine(levels_of(trace, find), trace.curve, options)) {
          wanted.push_back({probe.name, with(trace.rows.front()->parameters, trace.curve.axis, at)});
        }
      }
    }
  }
  return wanted;
}

namespace {

constexpr int rounds = 3;
constexpr std::size_t points_of_a_round = 3;  // for each bracket; each round makes it four times narrower

const Probe& probe_of(const Suite& suite, const std::string& name) {
  return *std::ranges::find_if(suite.probes,
                               [&](const Probe& probe) { return probe.family + "/" + probe.name == name; });
}

/// The last row of the point's curve before the point. It exists because a bracket begins at a point of the curve.
std::size_t neighbour_of(const Record& record, const Refinement& wanted, const std::string& axis) {
  Row row;
  row.parameters = wanted.point;
  const Parameters curve = curve_of(row, axis);
  const auto place = [&](const Parameters& point) { return std::get<std::int64_t>(*find(point, axis)); };
  std::size_t found = 0;
  for (std::size_t i = 0; i < record.rows.size(); ++i) {
    const Row& other = record.rows[i];
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
      insert_after(record.rows, before, table.row(before + 1, nullptr));
      record.rows[before + 1] = WARPCLOCK_TRY(measure(before + 1));
    }
  }
  return {};
}

}  // namespace warpclock
