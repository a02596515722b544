#include "analyze/premises.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace warpclock {
namespace {

bool holds(Relation relation, double value, double bound) {
  switch (relation) {
    // Counter formulas divide, and rounding of a quotient must not reject a case.
    case Relation::Equal:
      return std::abs(value - bound) <= 1e-9 * std::max(1.0, std::abs(bound));
    case Relation::AtLeast:
      return value >= bound;
    case Relation::AtMost:
      return value <= bound;
  }
  return false;
}

std::string_view should(Relation relation) {
  switch (relation) {
    case Relation::Equal:
      return "should be";
    case Relation::AtLeast:
      return "should be at least";
    case Relation::AtMost:
      return "should be at most";
  }
  return "";
}

constexpr double rounding = 1e-9;

}  // namespace

std::vector<Premise> judge(const std::vector<PremiseRule>& rules, const std::map<std::string, double>& facts,
                           const std::map<std::string, double>& metrics, const std::string& missing) {
  std::vector<Premise> premises;
  for (const PremiseRule& rule : rules) {
    Premise premise;
    premise.text = rule.text;
    auto found = facts.find(rule.value);
    bool there = found != facts.end();
    if (!there) {
      found = metrics.find(rule.value);
      there = found != metrics.end();
    }
    if (there && std::isfinite(found->second)) {
      premise.known = true;
      premise.value = found->second;
      premise.held = holds(rule.relation, found->second, rule.bound);
    } else if (there) {
      premise.why_unknown = fmt::format("'{}' is not a number", rule.value);
    } else {
      premise.why_unknown = missing.empty() ? fmt::format("nothing wrote '{}'", rule.value) : missing;
    }
    premises.push_back(std::move(premise));
  }
  return premises;
}

double limit_at(const Limit& limit, double sm_mhz) {
  if (!limit.per_us) return limit.value;
  return sm_mhz > 0 ? limit.value / sm_mhz : 0;
}

bool keep_possible(Estimate& estimate, const Possible& possible) {
  const double least = possible.least * (1 - rounding), most = possible.most * (1 + rounding);
  if (estimate.low > most || estimate.high < least) return false;
  const bool is_possible = least <= estimate.value && estimate.value <= most;
  if (estimate.high > most) estimate.high = possible.most;
  if (estimate.low < least) estimate.low = possible.least;
  if (!is_possible) estimate.value = std::midpoint(estimate.low, estimate.high);
  return true;
}

std::optional<Premise> judge_limit(const Measure& measure, Estimate& estimate, double sm_mhz) {
  const Limit& limit = measure.limit;
  const double most = limit_at(limit, sm_mhz);
  if (!(most > 0)) return std::nullopt;
  Premise premise;
  // A limit that depends on the clock differs from row to row, but it is one premise, so its text has no number.
  const std::string number = limit.per_us ? std::string() : fmt::format("{:.5g} {}: ", most, measure.unit);
  premise.text = fmt::format("{} is at most {}{}", measure.name, number, limit.source);
  premise.known = true;
  if (!limit.cuts) {
    premise.held = estimate.low <= most * (1 + rounding);
  } else {
    premise.held = limit.per_us ? estimate.value <= most : keep_possible(estimate, {.most = most});
  }
  premise.value = estimate.value;
  return premise;
}

std::string broken_text(const PremiseRule& rule, const Premise& premise) {
  return fmt::format("{}: {} {} {:.10g}, was {:.10g}", rule.text, rule.value, should(rule.relation), rule.bound,
                     premise.value);
}

}  // namespace warpclock
