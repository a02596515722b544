#include "answer/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "answer/numbers/figures.hpp"
#include "base/lookup.hpp"
#include "base/terminal.hpp"
#include "record/record.hpp"

namespace warpclock {
namespace {

// The clock is measured to some 0.03 %.
constexpr double least_clock_share = 0.001;

/// If the SM clock was another one: a difference in proportion to it, because L2 and what is beyond it have clocks of
/// their own. A latency that the SM alone determines does not depend on the clock.
std::optional<Cause> clock_cause(const Row& before, const Row& after, const Difference& found) {
  const double a = before.clock.sm_mhz, b = after.clock.sm_mhz;
  const bool timed =
      found.kind == EstimateKind::Rate || found.kind == EstimateKind::Bandwidth || found.kind == EstimateKind::Cycles;
  if (!timed || a <= 0 || b <= 0) return {};
  const double share = std::abs(a - b) / std::min(a, b);
  if (share < least_clock_share) return {};
  return Cause{fmt::format("the SM clock was {:.0f} and {:.0f} MHz", a, b),
               found.tolerance + share * std::max(std::abs(found.before), std::abs(found.after))};
}

/// Causes explain a difference only up to their sizes.
void judge(Difference& found, const std::optional<Cause>& of_numbers, const std::optional<Cause>& of_clock) {
  if (!of_numbers && !of_clock) return;
  const double most = (of_numbers ? of_numbers->most : 0) + (of_clock ? of_clock->most : 0);
  const double apart = std::abs(found.before - found.after);
  const bool excused = apart <= most;
  found.agreement = excused ? Agreement::Varies : Agreement::Differs;
  if (of_numbers) found.why = of_numbers->words();
  if (of_clock) found.why += (of_numbers ? "; " : "") + of_clock->words();
  if (!excused) found.why += fmt::format("; this explains {:.3g} of the {:.3g} {}", most, apart, found.unit);
}

bool is_compared(const Row& row, const Estimate& estimate) {
  if (row.kind == RowKind::Ptx) return estimate.name != "interval" && estimate.name != "saturation";
  return estimate.method != "intercept" && (row.kind != RowKind::Form || estimate.method != "encoded");
}

/// If one of two is a range, they agree if their intervals overlap.
void compare_numbers(Comparison& out, const Row& a, const Row& b) {
  const bool ranges = a.outcome == Outcome::Unsteady || b.outcome == Outcome::Unsteady;
  for (const Estimate& x : a.estimates) {
    if (!is_compared(a, x)) continue;
    const Estimate* y = find_by(b.estimates, x.name, &Estimate::name);
    if (!y) {
      out.outcomes.push_back({a.id + " " + x.name, "a number", "none"});
      continue;
    }
    EstimateKind kind = kind_of(a, x);
    if (kind == EstimateKind::FixedLatency && kind_of(b, *y) != kind) kind = EstimateKind::Cycles;
    const double tolerance =
        ranges ? std::max(x.high - x.low, y->high - y->low) : std::max(tolerance_of(kind, x), tolerance_of(kind, *y));
    // Allows for rounding at the limit. Written so that NaN never counts as the same.
    if (ranges ? x.low <= y->high && y->low <= x.high : std::abs(x.value - y->value) <= tolerance * (1 + 1e-9)) {
      ++out.same;
      continue;
    }
    out.disagreements.push_back({a.id, x.name, x.unit, kind, Agreement::Differs, x.value, y->value, tolerance, ""});
    const bool of_other = !x.varies || (y->varies && y->varies->most > x.varies->most);
    judge(out.disagreements.back(), of_other ? y->varies : x.varies, clock_cause(a, b, out.disagreements.back()));
    ++(out.disagreements.back().agreement == Agreement::Varies ? out.varies : out.differs);
  }
  for (const Estimate& y : b.estimates) {
    if (is_compared(b, y) && !find_by(a.estimates, y.name, &Estimate::name)) {
      out.outcomes.push_back({b.id + " " + y.name, "none", "a number"});
    }
  }
}

bool is_number(const Row& row) { return row.outcome == Outcome::Measured || row.outcome == Outcome::Unsteady; }

}  // namespace

/// The probes to whose curves a run adds points, see refinements().
std::set<std::string> refined_probes(const Record& record) {
  std::set<std::string> names;
  for (const ProbeRecord& probe : record.probes) {
    const auto refines = [](const FeatureQuery& find) {
      return find.what == FeatureQuery::What::Levels && find.within > 0;
    };
    if (std::ranges::any_of(probe.finds, refines)) names.insert(probe.name);
  }
  return names;
}

Comparison compare(const Record& before, const Record& after) {
  Comparison out;
  const std::set<std::string> refined = refined_probes(before);
  const auto only_in_one = [&](const Row& one, const std::string& then, const std::string& now) {
    if (refined.contains(one.probe)) {
      ++out.added;
    } else {
      out.outcomes.push_back({one.id, then, now});
    }
  };
  out.gpu = same_gpu(before.device, after.device);
  std::map<std::string, const Row*> others;
  for (const Row& one : after.rows) others.try_emplace(one.id, &one);
  std::set<std::string> seen;
  for (const Row& a : before.rows) {
    if (!seen.insert(a.id).second) continue;
    const auto found = others.find(a.id);
    if (found == others.end()) {
      only_in_one(a, std::string(word(a.outcome)), "absent");
      continue;
    }
    const Row& b = *found->second;
    const std::string code = code_of(a), others_code = code_of(b);
    if (!code.empty() && !others_code.empty() && code != others_code) out.other_code.push_back(a.id);
    if (is_number(a) && is_number(b)) {
      compare_numbers(out, a, b);
    } else if (a.outcome != b.outcome) {
      out.outcomes.push_back({a.id, std::string(word(a.outcome)), std::string(word(b.outcome))});
    }
  }
  for (const Row& b : after.rows) {
    if (seen.insert(b.id).second) only_in_one(b, "absent", std::string(word(b.outcome)));
  }
  return out;
}

namespace {

std::string percent_text(const Difference& d) {
  if (d.before == 0 || !std::isfinite(d.before) || !std::isfinite(d.after)) return "";
  return fmt::format("{:+.2f} %", 100 * (d.after - d.before) / std::abs(d.before));
}

Cell number(double value) {
  return {fmt::format("{:.6g}", value), std::isfinite(value) ? Json(value) : Json(Json::value_t::discarded)};
}

Table difference_table(const Comparison& comparison) {
  Table table{.key = "disagreements",
              .columns = columns({"id|case", "estimate|number", "-unit", "-kind", "#before", "#after", "+#change",
                                  "tolerance|allowed", "agreement|verdict", "why"})};
  for (const Difference& d : comparison.disagreements) {
    Cell allowed = number(d.tolerance);
    allowed.text = fmt::format("{:.3g} {} ({})", d.tolerance, d.unit, word(d.kind));
    table.rows.push_back({d.id, d.estimate, d.unit, std::string(word(d.kind)), number(d.before), number(d.after),
                          percent_text(d), std::move(allowed), std::string(word(d.agreement)), d.why});
  }
  return table;
}

Table outcome_table(const Comparison& comparison) {
  Table table{.key = "outcomes", .title = "outcomes", .columns = columns({"id", "before", "after"})};
  for (const OutcomeChange& change : comparison.outcomes)
    table.rows.push_back({change.id, change.before, change.after});
  if (table.rows.empty()) table.title.clear();
  return table;
}

}  // namespace

Sheet compare_sheet(const Comparison& comparison) {
  Sheet sheet;
  sheet.facts = {{"gpu", "GPU", comparison.gpu},
                 {"same", "agree", {std::to_string(comparison.same), comparison.same}},
                 {"varies", "vary for a stated reason", {std::to_string(comparison.varies), comparison.varies}},
                 {"differs", "differ", {std::to_string(comparison.differs), comparison.differs}},
                 {"changed", "outcomes changed", std::to_string(comparison.outcomes.size()), Audience::People},
                 {"added",
                  "points of curves in one record only",
                  {comparison.added > 0 ? std::to_string(comparison.added) : "", comparison.added}}};
  const std::size_t others = comparison.other_code.size();
  const std::string first = others == 0 ? ""
                                        : fmt::format("{}: {}{}", counted(std::ssize(comparison.other_code), "case"),
                                                      comparison.other_code.front(), others > 1 ? ", ..." : "");
  sheet.facts.push_back({"other_code", "timed other machine code", {first, comparison.other_code}});
  sheet.tables = {difference_table(comparison), outcome_table(comparison)};
  if (comparison.added > 0) sheet.notes.emplace_back("each run adds points to curves near the steps that it finds");
  return sheet;
}

}  // namespace warpclock
