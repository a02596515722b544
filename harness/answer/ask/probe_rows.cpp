#include "answer/ask/probe_rows.hpp"

#include <algorithm>
#include <cstddef>

#include "answer/numbers/figures.hpp"
#include "base/lookup.hpp"

namespace warpclock {
namespace {

bool has(const Parameters& parameters, const std::pair<std::string, std::string>& wanted) {
  return std::ranges::any_of(parameters, [&](const auto& each) {
    const auto& [name, value] = each;
    if (name != wanted.first && parameter_name(name) != wanted.first) return false;
    return to_string(value) == wanted.second || parameter_text(name, value) == wanted.second;
  });
}

/// Cases of one curve stand together, in the order in which its first is in the record, and by their place on its axis.
void sort_along(std::vector<CaseRows>& rows, const std::string& axis) {
  std::vector<Parameters> curves;
  std::vector<std::pair<std::pair<std::size_t, std::int64_t>, CaseRows>> placed;
  for (CaseRows& row : rows) {
    Parameters curve = row.parameters;
    const Value* at = find(row.parameters, axis);
    const auto* place = at == nullptr ? nullptr : std::get_if<std::int64_t>(at);
    std::erase_if(curve, [&](const auto& each) { return each.first == axis; });
    placed.push_back({{index_or_add(curves, curve), place == nullptr ? 0 : *place}, std::move(row)});
  }
  std::ranges::stable_sort(placed, {}, [](const auto& each) { return each.first; });
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = std::move(placed[i].second);
}

}  // namespace

std::vector<CaseRows> case_rows(const std::vector<ProbePlace>& places,
                                const std::vector<std::pair<std::string, std::string>>& with) {
  std::vector<CaseRows> rows;
  std::string axis;
  for (std::size_t gpu = 0; gpu < places.size(); ++gpu) {
    if (places[gpu].probe == nullptr) continue;
    axis = places[gpu].probe->probe.along;
    for (const CaseRecord* row : places[gpu].probe->cases) {
      if (!std::ranges::all_of(with, [&](const auto& wanted) { return has(row->parameters, wanted); })) continue;
      CaseRows& shared = find_or_add(rows, row->id, &CaseRows::id);
      shared.parameters = row->parameters;
      shared.on.resize(places.size());
      shared.on[gpu] = row;
    }
  }
  if (!axis.empty()) sort_along(rows, axis);
  return rows;
}

std::vector<Value> values_of(const std::vector<ProbePlace>& places, const std::string& parameter) {
  std::vector<Value> values;
  for (const ProbePlace& place : places) {
    if (place.probe == nullptr) continue;
    for (const CaseRecord* row : place.probe->cases)
      if (const Value* value = find(row->parameters, parameter)) index_or_add(values, *value);
  }
  return values;
}

std::vector<std::string> united(const std::vector<ProbePlace>& places, std::vector<std::string> ProbeOutline::*of) {
  std::vector<std::string> all;
  for (const ProbePlace& place : places) {
    if (place.probe == nullptr) continue;
    for (const std::string& each : place.probe->*of) index_or_add(all, each);
  }
  return all;
}

int decimals_of(const std::vector<ProbePlace>& places, const std::string& estimate) {
  int most = 0;
  for (const ProbePlace& place : places)
    if (place.probe != nullptr) most = std::max(most, decimals(*place.probe, estimate));
  return most;
}

}  // namespace warpclock
