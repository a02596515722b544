#include "report/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "report/outcome.hpp"
#include "report/variation.hpp"

namespace warpclock {
namespace {

const Estimate* find_estimate(const CaseRecord& one, const std::string& name) {
  const auto found = std::ranges::find(one.estimates, name, &Estimate::name);
  return found == one.estimates.end() ? nullptr : &*found;
}

/// A record and why its numbers may vary.
struct Side {
  const CaseRecord& row;
  const Variations& variations;

  [[nodiscard]] std::string why(const Estimate& estimate) const {
    const auto cause = variations.cause(row, estimate);
    return cause ? cause->words() : "";
  }
};

void compare_numbers(Comparison& out, const Side& before, const Side& after) {
  const CaseRecord &a = before.row, &b = after.row;
  for (const Estimate& x : a.estimates) {
    if (x.method == "intercept") continue;
    const Estimate* y = find_estimate(b, x.name);
    if (!y) {
      out.outcomes.push_back({a.id + " " + x.name, "a number", "none"});
      continue;
    }
    Kind kind = kind_of(a, x);
    if (kind == Kind::FixedLatency && kind_of(b, *y) != kind) kind = Kind::Cycles;
    const double tolerance = std::max(tolerance_of(kind, x), tolerance_of(kind, *y));
    // Rounding must not decide at the very edge; written so that what is not a number never counts as the same.
    if (std::abs(x.value - y->value) <= tolerance * (1 + 1e-9)) {
      ++out.same;
      continue;
    }
    std::string why = before.why(x);
    if (why.empty()) why = after.why(*y);
    ++(why.empty() ? out.differs : out.varies);
    const Agreement agreement = why.empty() ? Agreement::Differs : Agreement::Varies;
    out.disagreements.push_back({a.id, x.name, x.unit, kind, agreement, x.value, y->value, tolerance, std::move(why)});
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
  const Variations before_varies(before), after_varies(after);
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
      compare_numbers(out, {a, before_varies}, {b, after_varies});
    }
  }
  for (const CaseRecord& b : after.cases) {
    if (seen.insert(b.id).second) out.outcomes.push_back({b.id, "absent", std::string(word(b.outcome))});
  }
  return out;
}

}  // namespace warpclock
