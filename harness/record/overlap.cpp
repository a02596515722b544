#include "record/overlap.hpp"

#include <algorithm>

namespace warpclock {

double hidden_share(double a, double b, double both) { return (a + b - both) / std::min(a, b); }

std::optional<double> alone_cycles(const MachineTable& table, const std::string& form) {
  const auto twice = std::ranges::find_if(table.pairs, [&](const IssueStudy& one) {
    return one.forms.size() == 2 && one.forms[0] == form && one.forms[1] == form;
  });
  if (twice == table.pairs.end() || !twice->interval) return std::nullopt;
  return twice->interval->value / 2;
}

std::optional<double> hidden_share(const MachineTable& table, const IssueStudy& pair) {
  if (pair.forms.size() != 2 || !pair.interval) return std::nullopt;
  const auto a = alone_cycles(table, pair.forms[0]), b = alone_cycles(table, pair.forms[1]);
  if (!a || !b) return std::nullopt;
  return hidden_share(*a, *b, pair.interval->value);
}

bool overlaps_oddly(const MachineTable& table, const IssueStudy& pair) {
  if (!hidden_share(table, pair)) return false;
  const double a = *alone_cycles(table, pair.forms[0]), b = *alone_cycles(table, pair.forms[1]);
  return hidden_share(a, b, pair.interval->low) < 0 || hidden_share(a, b, pair.interval->high) > 1;
}

}  // namespace warpclock
