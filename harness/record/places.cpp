#include "record/places.hpp"

#include "base/lookup.hpp"

namespace warpclock {

std::vector<double> place_means(const std::vector<const CaseRecord*>& rows) {
  std::vector<double> sums;
  std::vector<std::size_t> counts;
  for (const CaseRecord* row : rows) {
    if (row->places.size() > sums.size()) {
      sums.resize(row->places.size());
      counts.resize(row->places.size());
    }
    for (std::size_t i = 0; i < row->places.size(); ++i) {
      sums[i] += row->places[i];
      if (row->places[i] > 0) ++counts[i];
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (counts[i] != 0) sums[i] /= static_cast<double>(counts[i]);
  }
  return sums;
}

std::optional<Sides> sides_of_places(const std::vector<const CaseRecord*>& rows) {
  return find_sides(mapped(rows, [](const CaseRecord* row) { return row->places; }));
}

std::vector<PlaceGroup> place_groups(const std::vector<double>& places) {
  std::vector<PlaceGroup> groups;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] != 0) find_or_add(groups, places[i], &PlaceGroup::value).places.push_back(i);
  }
  return groups;
}

}  // namespace warpclock
