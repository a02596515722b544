#include "model/leaf_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "record/outline.hpp"
#include "record/select/selected.hpp"

namespace warpclock {
namespace {

using Kind = Selector::Kind;
using Take = Selector::Take;

/// What is computed has no more digits than what was measured.
double six_digits(double value) {
  const std::string text = leaf_number(value);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Of a rate per clock the clock is known too, with which it becomes one per second.
Leaf leaf_of(const Selector& place, const Selected& one) {
  Leaf leaf{"", one.value, one.low, one.high, one.unit, "", {}, "", one.unit.contains("/clk") ? one.clock.mhz : 0};
  // A position on an axis has no unit in a record.
  if (leaf.unit.empty()) leaf.unit = one.name.starts_with("kib") ? "KiB" : "1";
  if (place.kind == Kind::Half) leaf.note = "half of " + place.name;
  if (place.kind == Kind::Clock) leaf.note = "SM clock measured around the row";
  if (place.kind == Kind::Feature) leaf.note = one.name + " of the curve of these rows";
  for (const CaseRecord* row : one.cases) leaf.rows.push_back(row->id);
  return leaf;
}

struct Point {
  double amount;
  const Estimate* estimate;
  std::string row;
};

/// By amount, ascending.
Expected<std::vector<Point>> points(const std::vector<const CaseRecord*>& rows, const Selector& place) {
  std::vector<Point> found;
  for (const CaseRecord* row : rows) {
    const Estimate* estimate = published(*row, place.name);
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

std::vector<Leaf> ptx_leaves(const InstructionTable& table, const Selector& place) {
  const auto row = std::ranges::find(table.rows, place.probe, &InstructionRecord::id);
  if (row == table.rows.end() || row->outcome != Outcome::Measured) return {};
  const auto estimate = std::ranges::find(row->estimates, place.name, &Estimate::name);
  const auto is_of_it = [&](const InstructionRun& run) {
    return run.verified() && run.measure.starts_with(place.name);
  };
  const bool verified = !row->forms.empty() || std::ranges::any_of(row->runs, is_of_it);
  if (estimate == row->estimates.end() || !verified) return {};
  const double mhz = estimate->unit.contains("/clk") ? row->clock.sm_mhz : 0;
  return {{"", estimate->value, estimate->low, estimate->high, estimate->unit, "", {row->id}, "", mhz}};
}

/// Of a line three leaves, of another place one; none if the record has none.
Expected<std::vector<Leaf>> leaves_at(const Record& record, const Selector& place, const Parameters& bound) {
  if (place.kind == Kind::Line || place.kind == Kind::Reach) {
    const auto all = WARPCLOCK_TRY(points(cases_at(record, place, bound), place));
    return place.kind == Kind::Line ? line(all) : reach(all);
  }
  std::vector<Selected> all = selected(record, place, bound);
  std::erase_if(all, [](const Selected& one) { return one.cases.empty(); });
  if (all.empty()) return std::vector<Leaf>();
  if (all.size() == 1) return std::vector{leaf_of(place, all.front())};
  if (place.take == Take::All)
    return fail("config",
                fmt::format("{} rows of {} fit: narrow them by 'with', or say 'take'", all.size(), place.probe));
  const bool highest = place.take == Take::Highest;
  Leaf leaf = leaf_of(place, taken(all, highest));
  leaf.note += fmt::format("{}{} of {}", leaf.note.empty() ? "" : ", ", highest ? "highest" : "lowest", all.size());
  return std::vector{std::move(leaf)};
}

}  // namespace

Expected<std::vector<Leaf>> leaves_of(const LeafRule& rule, const GpuRecords& records, const Parameters& bound) {
  const auto named = [&](std::vector<Leaf> leaves, const std::string& record) {
    for (Leaf& leaf : leaves) {
      leaf.name = leaf.name.empty() ? rule.name : rule.name + "." + leaf.name;
      leaf.record = record;
    }
    return leaves;
  };
  for (const Selector& place : rule.places) {
    if (place.kind == Kind::Instruction) {
      if (records.instructions == nullptr) continue;
      auto found = ptx_leaves(*records.instructions, place);
      if (!found.empty()) return named(std::move(found), "instructions.json");
      continue;
    }
    for (const auto& [file, record] : records.results) {
      auto found = WARPCLOCK_TRY(leaves_at(*record, place, bound));
      if (!found.empty()) return named(std::move(found), file);
    }
  }
  return std::vector<Leaf>();
}

std::vector<std::string> names_of(const LeafRule& rule) {
  if (rule.places.front().kind != Kind::Line) return {rule.name};
  return {rule.name + ".fixed", rule.name + ".per_byte", rule.name + ".misfit"};
}

}  // namespace warpclock
