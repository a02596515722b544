#include "model/leaf_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "gpu/job/statistics.hpp"
#include "record/outline.hpp"

namespace warpclock {
namespace {

using From = LeafPlace::From;
using Take = LeafPlace::Take;

/// What is computed has no more digits than what was measured.
double six_digits(double value) {
  const std::string text = leaf_number(value);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool within(const ParameterLimits& limits, const Parameters& parameters, const DeviceFacts& device) {
  const Value* value = find(parameters, limits.name);
  if (value == nullptr) return false;
  if (limits.equals) return *value == *limits.equals;
  const auto* number = std::get_if<std::int64_t>(value);
  const double high = limits.up_to_l2 ? static_cast<double>(device.l2_bytes) : limits.high;
  return number != nullptr && static_cast<double>(*number) >= limits.low && static_cast<double>(*number) <= high;
}

bool within(const LeafPlace& place, const Parameters& bound, const Parameters& parameters, const DeviceFacts& device) {
  return std::ranges::all_of(place.with, [&](const auto& one) { return within(one, parameters, device); }) &&
         std::ranges::all_of(bound, [&](const auto& one) {
           const Value* value = find(parameters, one.first);
           return value != nullptr && *value == one.second;
         });
}

/// The clock with which a rate per clock becomes one per second; of other numbers it is not asked.
double clock_of(const std::string& unit, const ClockReading& clock) { return unit.contains("/clk") ? clock.sm_mhz : 0; }

Leaf leaf_of(const std::string& id, const ClockReading& clock, const Estimate& estimate) {
  const double mhz = clock_of(estimate.unit, clock);
  return {"", estimate.value, estimate.low, estimate.high, estimate.unit, "", {id}, "", mhz};
}

std::vector<Leaf> estimates(const std::vector<const CaseRecord*>& rows, const LeafPlace& place) {
  std::vector<Leaf> found;
  for (const CaseRecord* row : rows) {
    const Estimate* estimate = published(*row, place.name);
    if (estimate == nullptr) continue;
    Leaf leaf = leaf_of(row->id, row->clock, *estimate);
    if (place.from == From::Half) {
      leaf.value /= 2, leaf.low /= 2, leaf.high /= 2;
      leaf.note = "half of " + place.name;
    }
    found.push_back(std::move(leaf));
  }
  return found;
}

std::vector<Leaf> clocks(const std::vector<const CaseRecord*>& rows) {
  std::vector<Leaf> found;
  for (const CaseRecord* row : rows) {
    const double mhz = row->clock.sm_mhz;
    if (!(mhz > 0)) continue;
    const SmClock clock = sm_clock(row->clock);
    found.push_back({"", mhz, clock.low, clock.high, "MHz", "", {row->id}, "SM clock measured around the row"});
  }
  return found;
}

/// A case's position on the curve of a feature: its integer parameter that the curve does not fix.
std::optional<double> position(const CaseRecord& row, const Feature& feature) {
  std::optional<double> at;
  for (const auto& [name, value] : row.parameters) {
    const Value* fixed = find(feature.parameters, name);
    if (fixed != nullptr && *fixed != value) return std::nullopt;
    const auto* number = std::get_if<std::int64_t>(&value);
    if (fixed == nullptr && number != nullptr) at = static_cast<double>(*number);
  }
  return at;
}

/// The cases that a feature follows from: those of a level, or those between which something ends; else the curve.
std::vector<std::string> rows_of(const Feature& feature, const std::vector<const CaseRecord*>& rows) {
  const double low = feature.to > 0 ? feature.from : feature.low, high = feature.to > 0 ? feature.to : feature.high;
  std::vector<std::string> inside, all;
  for (const CaseRecord* row : rows) {
    const auto at = position(*row, feature);
    if (!at) continue;
    all.push_back(row->id);
    if (*at >= low && *at <= high) inside.push_back(row->id);
  }
  return inside.empty() ? all : inside;
}

bool is_called(const std::string& feature, const std::string& name) {
  if (!feature.starts_with(name)) return false;
  const std::string rest = feature.substr(name.size());
  return rest.empty() || (rest.size() > 1 && rest[0] == '.' && rest.find_first_not_of("0123456789", 1) == rest.npos);
}

/// A position on an axis has no unit in a record.
std::string unit_of(const Feature& feature) {
  if (!feature.unit.empty()) return feature.unit;
  if (feature.name.starts_with("kib")) return "KiB";
  return feature.name.starts_with("footprint") || feature.name.starts_with("offset") ? "B" : "1";
}

double median_clock(const std::string& unit, const std::vector<const CaseRecord*>& rows,
                    const std::vector<std::string>& ids) {
  std::vector<double> clocks;
  for (const CaseRecord* row : rows) {
    const double mhz = clock_of(unit, row->clock);
    if (mhz > 0 && std::ranges::find(ids, row->id) != ids.end()) clocks.push_back(mhz);
  }
  std::ranges::sort(clocks);
  return clocks.empty() ? 0 : median(clocks);
}

std::vector<Leaf> features(const Record& record, const LeafPlace& place, const Parameters& bound) {
  LeafPlace whole_curve = place;
  whole_curve.with.clear();
  const std::vector<const CaseRecord*> rows = rows_at(record, whole_curve, {});
  const auto l2 = static_cast<double>(record.device.l2_bytes);
  std::vector<Leaf> found;
  for (const Feature& feature : record.features) {
    if (feature.probe != place.probe || !is_called(feature.name, place.name)) continue;
    if (!place.where.empty() && feature.where != place.where) continue;
    if (place.inside_l2 && (feature.to <= 0 || feature.to > l2)) continue;
    if (!within(place, bound, feature.parameters, record.device)) continue;
    std::vector<std::string> of = rows_of(feature, rows);
    if (of.empty()) continue;
    const double clock = median_clock(feature.unit, rows, of);
    found.push_back({"", feature.value, feature.low, feature.high, unit_of(feature), "", std::move(of),
                     feature.name + " of the curve of these rows", clock});
  }
  return found;
}

struct Point {
  double amount;
  const Estimate* estimate;
  std::string row;
};

/// By amount, ascending.
Expected<std::vector<Point>> points(const std::vector<const CaseRecord*>& rows, const LeafPlace& place) {
  std::vector<Point> found;
  for (const CaseRecord* row : rows) {
    const Estimate* estimate = published(*row, place.name);
    if (estimate == nullptr) continue;
    const auto amount = WARPCLOCK_TRY(place.over.evaluate(row->parameters));
    found.push_back({static_cast<double>(amount), estimate, row->id});
  }
  std::ranges::stable_sort(found, {}, &Point::amount);
  return found;
}

/// The line of least squares of the relative distances: a short copy counts as much as a long one.
std::vector<Leaf> line(const std::vector<Point>& all) {
  if (all.size() < 3) return {};
  double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const Point& point : all) {
    const double x = point.amount, y = point.estimate->value, w = 1 / (y * y);
    s += w, sx += w * x, sy += w * y, sxx += w * x * x, sxy += w * x * y;
  }
  const double d = s * sxx - sx * sx;
  if (!(d > 0) || !std::isfinite(d)) return {};
  const double slope = (s * sxy - sx * sy) / d, fixed = (sxx * sy - sx * sxy) / d;
  double worst = 0, squares = 0;
  std::vector<std::string> rows;
  for (const Point& point : all) {
    const double off = (fixed + slope * point.amount) / point.estimate->value - 1;
    worst = std::max(worst, std::abs(off));
    squares += off * off;
    rows.push_back(point.row);
  }
  const double variance = squares / static_cast<double>(all.size() - 2);
  const double fixed_error = 2 * std::sqrt(variance * sxx / d), slope_error = 2 * std::sqrt(variance * s / d);
  const std::string unit = all.front().estimate->unit;
  const std::string note = fmt::format("line over {:.0f} to {:.0f} B, twice its standard error to either side",
                                       all.front().amount, all.back().amount);
  const auto leaf = [&](const char* name, double value, double error, const std::string& of, const std::string& how) {
    return Leaf{name, six_digits(value), six_digits(value - error), six_digits(value + error), of, "", rows, how};
  };
  return {leaf("fixed", fixed, fixed_error, unit, note), leaf("per_byte", slope, slope_error, unit + "/B", note),
          leaf("misfit", worst, 0, "1", "largest distance of a row from the line, as a share of the row")};
}

/// The least amount from which the highest value is near.
std::vector<Leaf> reach(const std::vector<Point>& all) {
  constexpr double near = 0.9;
  if (all.size() < 2) return {};
  const double best = std::ranges::max(all, {}, [](const Point& p) { return p.estimate->low; }).estimate->value;
  const auto there =
      std::ranges::find_if(all, [&](const Point& point) { return point.estimate->value >= near * best; });
  if (there == all.begin() || there == all.end()) return {};
  double before = 0;
  for (auto point = all.begin(); point != there; ++point) {
    if (point->amount < there->amount) before = point->amount;
  }
  return {{"", there->amount, before, there->amount, "B", "", {there->row}, "at least 90 % of the highest rate"}};
}

Expected<std::vector<Leaf>> leaves_at(const Record& record, const LeafPlace& place, const Parameters& bound) {
  if (place.from == From::Feature) return features(record, place, bound);
  const std::vector<const CaseRecord*> rows = rows_at(record, place, bound);
  if (place.from == From::Clock) return clocks(rows);
  if (place.from != From::Line && place.from != From::Reach) return estimates(rows, place);
  const auto all = WARPCLOCK_TRY(points(rows, place));
  return place.from == From::Line ? line(all) : reach(all);
}

std::vector<Leaf> ptx_leaves(const InstructionTable& table, const LeafPlace& place) {
  const auto row = std::ranges::find(table.rows, place.probe, &InstructionRecord::id);
  if (row == table.rows.end() || row->outcome != Outcome::Measured) return {};
  const auto estimate = std::ranges::find(row->estimates, place.name, &Estimate::name);
  const auto is_of_it = [&](const InstructionRun& run) {
    return run.verified() && run.measure.starts_with(place.name);
  };
  const bool verified = !row->forms.empty() || std::ranges::any_of(row->runs, is_of_it);
  if (estimate == row->estimates.end() || !verified) return {};
  return {leaf_of(row->id, row->clock, *estimate)};
}

/// The one that is meant. The highest is the one with the highest lower bound: the highest value of many is biased.
Expected<Leaf> taken(std::vector<Leaf> all, const LeafPlace& place) {
  if (all.size() == 1) return std::move(all.front());
  if (place.take == Take::Only)
    return fail("config",
                fmt::format("{} rows of {} fit: narrow them by 'with', or say 'take'", all.size(), place.probe));
  Leaf one = place.take == Take::Highest ? *std::ranges::max_element(all, {}, &Leaf::low)
                                         : *std::ranges::min_element(all, {}, &Leaf::value);
  const std::string note = fmt::format("{} of {}", place.take == Take::Highest ? "highest" : "lowest", all.size());
  one.note = one.note.empty() ? note : one.note + ", " + note;
  return one;
}

}  // namespace

std::vector<const CaseRecord*> rows_at(const Record& record, const LeafPlace& place, const Parameters& bound) {
  std::vector<const CaseRecord*> found;
  for (const CaseRecord& row : record.cases) {
    if (row.probe != place.probe || row.outcome != Outcome::Measured || !row.window.verified()) continue;
    if (!within(place, bound, row.parameters, record.device)) continue;
    const bool counted = std::ranges::all_of(place.counters, [&](const auto& limits) {
      const auto at = row.counters.find(limits.first);
      return at != row.counters.end() && at->second >= limits.second.first && at->second <= limits.second.second;
    });
    if (counted) found.push_back(&row);
  }
  return found;
}

Expected<std::vector<Leaf>> leaves_of(const LeafRule& rule, const GpuRecords& records, const Parameters& bound) {
  const auto named = [&](std::vector<Leaf> leaves, const LeafPlace& place,
                         const std::string& record) -> Expected<std::vector<Leaf>> {
    if (place.from != From::Line) {
      auto one = WARPCLOCK_TRY(taken(std::move(leaves), place));
      leaves = {std::move(one)};
    }
    for (Leaf& leaf : leaves) {
      leaf.name = leaf.name.empty() ? rule.name : rule.name + "." + leaf.name;
      leaf.record = record;
    }
    return leaves;
  };
  for (const LeafPlace& place : rule.places) {
    if (place.from == From::Ptx) {
      if (records.instructions == nullptr) continue;
      auto found = ptx_leaves(*records.instructions, place);
      if (!found.empty()) return named(std::move(found), place, "instructions.json");
      continue;
    }
    for (const auto& [file, record] : records.results) {
      auto found = WARPCLOCK_TRY(leaves_at(*record, place, bound));
      if (!found.empty()) return named(std::move(found), place, file);
    }
  }
  return std::vector<Leaf>();
}

std::vector<std::string> names_of(const LeafRule& rule) {
  if (rule.places.front().from != From::Line) return {rule.name};
  return {rule.name + ".fixed", rule.name + ".per_byte", rule.name + ".misfit"};
}

}  // namespace warpclock
