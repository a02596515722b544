#include "plan/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace warpclock {
namespace {

bool holds(const std::vector<Value>& values, const Value& value) {
  return std::ranges::any_of(values, [&](const Value& v) { return to_string(v) == to_string(value); });
}

/// The row with its columns in the order of `like`.
Expected<Parameters> aligned(const Parameters& row, const Parameters& like) {
  Parameters result;
  for (const auto& [name, unused] : like) {
    const Value* value = find(row, name);
    if (value == nullptr) return fail("config", fmt::format("a point lacks '{}', which the first point has", name));
    result.emplace_back(name, *value);
  }
  for (const auto& [name, unused] : row) {
    if (find(like, name) == nullptr) return fail("config", fmt::format("the first point lacks '{}'", name));
  }
  return result;
}

Expected<void> check_axes(const Sweep& sweep) {
  std::set<std::string> names;
  if (!sweep.points.empty()) {
    for (const auto& [name, value] : sweep.points.front()) names.insert(name);
  }
  std::size_t count = std::max<std::size_t>(sweep.points.size(), 1);
  for (const Axis& axis : sweep.axes) {
    if (!names.insert(axis.name).second) return fail("config", fmt::format("parameter '{}' is named twice", axis.name));
    if (axis.values.empty()) return fail("config", fmt::format("parameter '{}' has no value", axis.name));
    std::set<std::string> seen;
    for (const Value& value : axis.values) {
      if (!seen.insert(to_string(value)).second) {
        return fail("config", fmt::format("parameter '{}' has the value {} twice", axis.name, to_string(value)));
      }
    }
    count *= axis.values.size();
    if (count > max_points) return fail("config", fmt::format("the sweep has more than {} points", max_points));
    if (names.size() > max_parameters)
      return fail("config", fmt::format("the sweep has more than {} parameters", max_parameters));
  }
  return {};
}

/// Each of the points so far, continued with each value of the axis.
std::vector<Parameters> times(const std::vector<Parameters>& points, const Axis& axis) {
  std::vector<Parameters> product;
  product.reserve(points.size() * axis.values.size());
  for (const Parameters& point : points) {
    for (const Value& value : axis.values) {
      product.push_back(point);
      product.back().emplace_back(axis.name, value);
    }
  }
  return product;
}

}  // namespace

bool matches(const Clause& clause, const Parameters& point) {
  return std::ranges::all_of(clause.any_of, [&](const Axis& axis) {
    const Value* value = find(point, axis.name);
    return value != nullptr && holds(axis.values, *value);
  });
}

bool matches_any(const std::vector<Clause>& clauses, const Parameters& point) {
  return std::ranges::any_of(clauses, [&](const Clause& clause) { return matches(clause, point); });
}

Expected<std::vector<Parameters>> expand(const Sweep& sweep) {
  std::vector<Parameters> points;
  std::set<std::string> seen;
  for (const Parameters& row : sweep.points) {
    auto point = WARPCLOCK_TRY(aligned(row, sweep.points.front()));
    if (!seen.insert(to_string(point)).second) {
      return fail("config", fmt::format("the point {} is given twice", to_string(point)));
    }
    points.push_back(std::move(point));
  }
  if (points.empty()) points.emplace_back();
  WARPCLOCK_TRY(check_axes(sweep));
  if (sweep.where.size() + sweep.except.size() > max_clauses)
    return fail("config", fmt::format("the sweep has more than {} clauses", max_clauses));
  for (const Axis& axis : sweep.axes) points = times(points, axis);
  std::erase_if(points, [&](const Parameters& point) {
    return (!sweep.where.empty() && !matches_any(sweep.where, point)) || matches_any(sweep.except, point);
  });
  if (points.empty()) return fail("config", "no point is left");
  return points;
}

std::vector<Axis> columns(const Sweep& sweep) {
  std::vector<Axis> all;
  if (!sweep.points.empty()) {
    for (const auto& [name, unused] : sweep.points.front()) {
      Axis column{name, {}};
      for (const Parameters& row : sweep.points) {
        const Value* value = find(row, name);
        if (value != nullptr && !holds(column.values, *value)) column.values.push_back(*value);
      }
      all.push_back(std::move(column));
    }
  }
  all.insert(all.end(), sweep.axes.begin(), sweep.axes.end());
  return all;
}

std::string to_string(const Parameters& point) {
  std::string text;
  for (const auto& [name, value] : point) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, to_string(value));
  }
  return text;
}

std::string id_of(const std::string& probe, const Parameters& point) {
  return point.empty() ? probe : fmt::format("{}[{}]", probe, to_string(point));
}

bool has(const Arch& arch, const Needs& needs) {
  if (arch.sm < needs.min_sm) return false;
  return needs.only.empty() || std::ranges::any_of(needs.only, [&](const Arch& only) { return has(arch, only); });
}

const Needs* lacking(const Arch& arch, const Probe& probe, const Parameters& point) {
  if (!has(arch, probe.needs)) return &probe.needs;
  const auto at = std::ranges::find_if(
      probe.needs_when, [&](const NeedsWhen& one) { return matches_any(one.when, point) && !has(arch, one.needs); });
  return at == probe.needs_when.end() ? nullptr : &at->needs;
}

const WindowSpec* find_window(const std::vector<WindowSpec>& windows, const Arch& arch, const Parameters& point) {
  const auto at = std::ranges::find_if(windows, [&](const WindowSpec& window) {
    const bool here =
        window.archs.empty() || std::ranges::any_of(window.archs, [&](const Arch& named) { return has(arch, named); });
    return here && (window.when.empty() || matches_any(window.when, point));
  });
  return at == windows.end() ? nullptr : &*at;
}

Expected<Expectation> resolve(const Expectation& expect, const Parameters& point) {
  Expectation resolved = expect;
  std::vector<std::string*> opcodes;
  for (auto* list : {&resolved.target, &resolved.also, &resolved.required, &resolved.before}) {
    for (std::string& opcode : *list) opcodes.push_back(&opcode);
  }
  for (Counted& counted : resolved.exactly) opcodes.push_back(&counted.opcode);
  for (std::string* opcode : opcodes) {
    auto text = WARPCLOCK_TRY(substitute(*opcode, point));
    *opcode = std::move(text);
  }
  return resolved;
}

}  // namespace warpclock
