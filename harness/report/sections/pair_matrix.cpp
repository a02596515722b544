#include "report/sections/pair_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "record/outline.hpp"
#include "report/numbers/figures.hpp"

namespace warpclock {
namespace {

std::size_t index_of(std::vector<std::string>& kinds, const std::string& kind) {
  const auto at = std::ranges::find(kinds, kind);
  const auto index = static_cast<std::size_t>(at - kinds.begin());
  if (at == kinds.end()) kinds.push_back(kind);
  return index;
}

struct Cell {
  std::size_t first, second;
  const CaseRecord* row;
};

std::vector<Cell> cells_of(const PairSource& source, const Record& record, std::vector<std::string>& kinds) {
  std::vector<Cell> cells;
  for (const CaseRecord& row : record.cases) {
    const Value *first = find(row.parameters, source.first), *second = find(row.parameters, source.second);
    if (row.probe != source.probe || first == nullptr || second == nullptr) continue;
    const std::size_t a = index_of(kinds, to_string(*first)), b = index_of(kinds, to_string(*second));
    cells.push_back({a, b, &row});
  }
  return cells;
}

double overlap_of(double a, double b, double together) { return (a + b - together) / std::min(a, b); }

Overlap overlap_of(const Estimate& a, const Estimate& b, const Estimate& together) {
  Overlap overlap{overlap_of(a.value, b.value, together.value), 0, 0};
  overlap.low = overlap.high = overlap.value;
  for (const double x : {a.low, a.high}) {
    for (const double y : {b.low, b.high}) {
      for (const double z : {together.low, together.high}) {
        const double each = overlap_of(x, y, z);
        overlap.low = std::min(overlap.low, each);
        overlap.high = std::max(overlap.high, each);
      }
    }
  }
  return overlap;
}

bool positive(const std::optional<Estimate>& estimate) {
  return estimate && std::isfinite(estimate->high) && estimate->value > 0 && estimate->low > 0;
}

}  // namespace

PairMatrix pair_matrix(const PairSource& source, const Record& record) {
  PairMatrix matrix;
  const std::vector<Cell> cells = cells_of(source, record, matrix.kinds);
  const std::size_t kinds = matrix.kinds.size();
  matrix.alone.resize(kinds);
  matrix.pairs.resize(kinds * kinds);
  for (const Cell& cell : cells) {
    const Estimate* together = published(*cell.row, source.cycles);
    Pair& pair = matrix.pairs[cell.first * kinds + cell.second];
    // If several cases have the same two kinds, the first measured one is used.
    if (pair.row != nullptr && (pair.together != nullptr || together == nullptr)) continue;
    pair.row = cell.row;
    pair.together = together;
    matrix.pairs[cell.second * kinds + cell.first] = pair;
    if (cell.first != cell.second || together == nullptr) continue;
    Estimate alone = *together;
    for (double* each : {&alone.value, &alone.low, &alone.high}) *each /= 2;
    matrix.alone[cell.first] = alone;
  }
  for (std::size_t i = 0; i < matrix.pairs.size(); ++i) {
    const std::size_t a = i / kinds, b = i % kinds;
    Pair& pair = matrix.pairs[i];
    if (a == b || pair.together == nullptr || !positive(matrix.alone[a]) || !positive(matrix.alone[b])) continue;
    const Overlap overlap = overlap_of(*matrix.alone[a], *matrix.alone[b], *pair.together);
    if (std::isfinite(overlap.value)) pair.overlap = overlap;
  }
  return matrix;
}

std::string overlap_text(const Pair& pair) {
  return pair.overlap ? fixed(std::round(100 * pair.overlap->value), 0) : "\xE2\x80\x93";
}

}  // namespace warpclock
