#include "record/machine_record.hpp"

#include <algorithm>
#include <iterator>

namespace warpclock {
namespace {

/// Cycles of each of a study's two forms alone: of one, or of as many as are in a group.
std::optional<std::pair<double, double>> both_alone(const MachineTable& table, const IssueStudy& study) {
  if (study.forms.size() != 2) return std::nullopt;
  if (study.of_each.size() != 2) {
    const auto a = alone_cycles(table, study.forms[0]), b = alone_cycles(table, study.forms[1]);
    if (!a || !b) return std::nullopt;
    return std::pair(*a, *b);
  }
  const MachineRow *a = row_of_form(table.rows, study.forms[0]), *b = row_of_form(table.rows, study.forms[1]);
  if (a == nullptr || !a->interval || b == nullptr || !b->interval) return std::nullopt;
  return std::pair(a->interval->value * study.of_each[0], b->interval->value * study.of_each[1]);
}

}  // namespace

std::vector<Estimate> estimates_of(const DependencyLatency& latency) {
  std::vector<Estimate> all;
  const std::string source = std::to_string(latency.source);
  if (latency.cycles) {
    all.push_back(*latency.cycles);
    all.back().name = "latency." + source;
  }
  if (latency.least_right) {
    const double stall = *latency.least_right;
    all.push_back({"minimum_stall." + source, stall, stall, stall, "cycles"});
  }
  return all;
}

std::vector<Estimate> estimates_of(const MachineRow& row) {
  std::vector<Estimate> all;
  for (const DependencyLatency& latency : row.latencies)
    std::ranges::move(estimates_of(latency), std::back_inserter(all));
  if (row.interval) all.push_back(*row.interval);
  return all;
}

double hidden_share(double a, double b, double both) { return (a + b - both) / std::min(a, b); }

std::optional<double> alone_cycles(const MachineTable& table, const std::string& form) {
  const auto twice = std::ranges::find_if(table.pairs, [&](const IssueStudy& one) {
    return one.forms.size() == 2 && one.forms[0] == form && one.forms[1] == form;
  });
  if (twice == table.pairs.end() || !twice->interval) return std::nullopt;
  return twice->interval->value / 2;
}

std::optional<Overlap> overlap_of(const MachineTable& table, const IssueStudy& study) {
  const auto alone = both_alone(table, study);
  if (!alone || !study.interval) return std::nullopt;
  const auto share = [&](double both) { return hidden_share(alone->first, alone->second, both); };
  return Overlap{alone->first, alone->second, share(study.interval->value), share(study.interval->high),
                 share(study.interval->low)};
}

bool overlaps_oddly(const MachineTable& table, const IssueStudy& study) {
  const auto overlap = overlap_of(table, study);
  return overlap && (overlap->most < 0 || overlap->least > 1);
}

}  // namespace warpclock
