#include "report/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "report/outcome.hpp"

namespace warpclock {
namespace {

const Estimate* find_estimate(const CaseRecord& one, const std::string& name) {
  const auto found = std::ranges::find(one.estimates, name, &Estimate::name);
  return found == one.estimates.end() ? nullptr : &*found;
}

Kind kind_of(const CaseRecord& a, const CaseRecord& b, const Estimate& estimate) {
  if (estimate.method == "rate") return Kind::Rate;
  if (estimate.method == "counter") return Kind::Counter;
  if (estimate.method == "fact" || estimate.method == "encoded") return Kind::Exact;
  const bool fixed = a.window.encoded_cycles && b.window.encoded_cycles && estimate.method == "slope";
  return fixed ? Kind::FixedLatency : Kind::Cycles;
}

double tolerance_of(Kind kind, const Estimate& a, const Estimate& b) {
  const double size = std::max(std::abs(a.value), std::abs(b.value));
  switch (kind) {
    case Kind::FixedLatency:
      return 0.1;
    case Kind::Rate:
      return 0.005 * size;
    case Kind::Cycles:
      return 0.01 * size;
    case Kind::Counter:
      return a.unit == "%" ? 1 : 0.01 * size;
    case Kind::Exact:
      return 0;
  }
  return 0;
}

void compare_numbers(Comparison& out, const CaseRecord& a, const CaseRecord& b) {
  for (const Estimate& x : a.estimates) {
    if (x.method == "intercept") continue;
    const Estimate* y = find_estimate(b, x.name);
    if (!y) {
      out.outcomes.push_back({a.id + " " + x.name, "a number", "none"});
      continue;
    }
    Difference difference{a.id, x.name, x.unit, kind_of(a, b, x), Agreement::Same, x.value, y->value, 0};
    difference.tolerance = tolerance_of(difference.kind, x, *y);
    // Rounding must not decide at the very edge; written so that what is not a number never counts as the same.
    const bool same = std::abs(x.value - y->value) <= difference.tolerance * (1 + 1e-9);
    const bool touch = x.low <= y->high && y->low <= x.high;
    if (same) {
      ++out.same;
      continue;
    }
    difference.agreement = touch ? Agreement::Ambiguous : Agreement::Differs;
    ++(touch ? out.ambiguous : out.differs);
    out.disagreements.push_back(std::move(difference));
  }
  for (const Estimate& y : b.estimates) {
    if (y.method != "intercept" && !find_estimate(a, y.name)) {
      out.outcomes.push_back({b.id + " " + y.name, "none", "a number"});
    }
  }
}

}  // namespace

Comparison compare(const Record& before, const Record& after) {
  Comparison out;
  std::map<std::string, const CaseRecord*> others;
  for (const CaseRecord& one : after.cases) others.try_emplace(one.id, &one);
  std::set<std::string> seen;
  for (const CaseRecord& a : before.cases) {
    if (!seen.insert(a.id).second) continue;
    const auto found = others.find(a.id);
    if (found == others.end()) {
      out.outcomes.push_back({a.id, std::string(word(a.outcome)), "absent"});
      continue;
    }
    const CaseRecord& b = *found->second;
    if (!a.window.sass_hash.empty() && !b.window.sass_hash.empty() && a.window.sass_hash != b.window.sass_hash) {
      out.other_code.push_back(a.id);
    }
    if (a.outcome != b.outcome) {
      out.outcomes.push_back({a.id, std::string(word(a.outcome)), std::string(word(b.outcome))});
    } else if (a.outcome == Outcome::Measured) {
      compare_numbers(out, a, b);
    }
  }
  for (const CaseRecord& b : after.cases) {
    if (seen.insert(b.id).second) out.outcomes.push_back({b.id, "absent", std::string(word(b.outcome))});
  }
  return out;
}

}  // namespace warpclock
