#include "record/overlap.hpp"

#include <algorithm>
#include <utility>

namespace warpclock {
namespace {

const Estimate* interval_of(std::span<const Row> rows, const std::string& form) {
  const Row* row = find_by(rows, form, &Row::id);
  return row == nullptr ? nullptr : estimate_in(*row, "interval");
}

/// Cycles of each of a row's two forms alone: of one, or of as many as are in a group.
std::optional<std::pair<double, double>> both_alone(std::span<const Row> rows, const Row& both) {
  if (both.forms.size() != 2) return std::nullopt;
  const std::vector<int>& of_each = both.machine.of_each;
  if (of_each.size() != 2) {
    const auto a = alone_cycles(rows, both.forms[0]), b = alone_cycles(rows, both.forms[1]);
    if (!a || !b) return std::nullopt;
    return std::pair(*a, *b);
  }
  const Estimate *a = interval_of(rows, both.forms[0]), *b = interval_of(rows, both.forms[1]);
  if (a == nullptr || b == nullptr) return std::nullopt;
  return std::pair(a->value * of_each[0], b->value * of_each[1]);
}

}  // namespace

double hidden_share(double a, double b, double both) { return (a + b - both) / std::min(a, b); }

std::optional<double> alone_cycles(std::span<const Row> rows, const std::string& form) {
  const auto twice = std::ranges::find_if(rows, [&](const Row& one) {
    return one.kind == RowKind::Pair && one.forms.size() == 2 && one.forms[0] == form && one.forms[1] == form;
  });
  const Estimate* interval = twice == rows.end() ? nullptr : estimate_in(*twice, "interval");
  if (interval == nullptr) return std::nullopt;
  return interval->value / 2;
}

std::optional<Overlap> overlap_of(std::span<const Row> rows, const Row& both) {
  const auto alone = both_alone(rows, both);
  const Estimate* interval = estimate_in(both, "interval");
  if (!alone || interval == nullptr) return std::nullopt;
  const auto share = [&](double cycles) { return hidden_share(alone->first, alone->second, cycles); };
  return Overlap{alone->first, alone->second, share(interval->value), share(interval->high), share(interval->low)};
}

bool overlaps_oddly(std::span<const Row> rows, const Row& both) {
  const auto overlap = overlap_of(rows, both);
  return overlap && (overlap->most < 0 || overlap->least > 1);
}

}  // namespace warpclock
