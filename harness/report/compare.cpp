#include "report/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "record/outcome.hpp"
#include "record/variation.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {
namespace {

const Estimate* find_estimate(const CaseRecord& one, const std::string& name) {
  const auto found = std::ranges::find(one.estimates, name, &Estimate::name);
  return found == one.estimates.end() ? nullptr : &*found;
}

/// A record and the reasons why its numbers may vary.
struct Side {
  const CaseRecord& row;
  const Variations& variations;

  [[nodiscard]] std::optional<Cause> cause(const Estimate& estimate) const { return variations.cause(row, estimate); }
};

/// A cause explains a difference only up to its size.
void judge(Difference& found, const std::optional<Cause>& before, const std::optional<Cause>& after) {
  if (!before && !after) return;
  const double most = std::max(before ? before->most : 0, after ? after->most : 0);
  const bool excused = std::abs(found.before - found.after) <= most;
  found.agreement = excused ? Agreement::Varies : Agreement::Differs;
  found.why = (before ? before : after)->words();
  if (!excused) found.why += fmt::format("; that explains {:.3g} {} at most", most, found.unit);
}

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
    // Allows for rounding at the limit. Written so that NaN never counts as the same.
    if (std::abs(x.value - y->value) <= tolerance * (1 + 1e-9)) {
      ++out.same;
      continue;
    }
    out.disagreements.push_back({a.id, x.name, x.unit, kind, Agreement::Differs, x.value, y->value, tolerance, ""});
    judge(out.disagreements.back(), before.cause(x), after.cause(*y));
    ++(out.disagreements.back().agreement == Agreement::Varies ? out.varies : out.differs);
  }
  for (const Estimate& y : b.estimates) {
    if (y.method != "intercept" && !find_estimate(a, y.name)) {
      out.outcomes.push_back({b.id + " " + y.name, "none", "a number"});
    }
  }
}

Record as_record(const InstructionTable& table) {
  Record record{.provenance = table.provenance, .device = table.device};
  for (const InstructionRecord& row : table.rows) {
    CaseRecord& one = record.cases.emplace_back();
    one.id = row.id, one.arch = row.arch, one.outcome = row.outcome, one.estimates = row.estimates;
    std::erase_if(one.estimates, [](const Estimate& e) { return e.name == "interval" || e.name == "saturation"; });
    for (const InstructionRun& run : row.runs) one.window.sass_hash += run.sass_hash;
  }
  return record;
}

Record as_record(const MachineTable& table) {
  Record record{.provenance = table.provenance, .device = table.device};
  for (const MachineRow& row : table.rows) {
    CaseRecord& one = record.cases.emplace_back();
    one.id = row.key;
    one.outcome = row.reason ? Outcome::Rejected : Outcome::Measured;
    for (const DependencyLatency& latency : row.latencies) {
      const std::string source = std::to_string(latency.source);
      if (latency.cycles) {
        one.estimates.push_back(*latency.cycles);
        one.estimates.back().name = "latency." + source;
      }
      if (!latency.least_right) continue;
      const double stall = *latency.least_right;
      one.estimates.push_back({"minimum_stall." + source, stall, stall, stall, "cycles"});
    }
    if (row.interval) one.estimates.push_back(*row.interval);
  }
  return record;
}

bool is_number(const CaseRecord& row) { return row.outcome == Outcome::Measured || row.outcome == Outcome::Unsteady; }

/// If one of two is a range, they agree if their intervals overlap.
void compare_ranges(Comparison& out, const CaseRecord& a, const CaseRecord& b) {
  for (const Estimate& x : a.estimates) {
    const Estimate* y = find_estimate(b, x.name);
    if (x.method == "intercept" || y == nullptr) continue;
    if (x.low <= y->high && y->low <= x.high) {
      ++out.same;
      continue;
    }
    ++out.differs;
    out.disagreements.push_back({a.id, x.name, x.unit, kind_of(a, x), Agreement::Differs, x.value, y->value,
                                 std::max(x.high - x.low, y->high - y->low), ""});
  }
}

}  // namespace

Comparison compare(const Record& before, const Record& after) {
  Comparison out;
  out.gpu = same_gpu(before.device, after.device);
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
    if (a.outcome == b.outcome ? a.outcome == Outcome::Unsteady : is_number(a) && is_number(b)) {
      compare_ranges(out, a, b);
    } else if (a.outcome != b.outcome) {
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

Comparison compare(const InstructionTable& before, const InstructionTable& after) {
  return compare(as_record(before), as_record(after));
}

Comparison compare(const MachineTable& before, const MachineTable& after) {
  return compare(as_record(before), as_record(after));
}

}  // namespace warpclock
