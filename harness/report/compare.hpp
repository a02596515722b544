#pragma once

#include <string>
#include <vector>

#include "report/record.hpp"

namespace warpclock {

/// What kind of number an estimate is, and so by how much two runs on one GPU may differ:
/// fixed latencies (a slope beside encoded cycles) by 0.1 cycle; rates by 0.5 %; other cycles, which memory or the
/// scheduler decides, by 1 %; percentages from counters by 1 point, other counters by 1 %; what the kernel or the
/// compiler states (facts, encoded cycles) not at all. Intercepts are overhead and are not compared.
enum class Kind { FixedLatency, Rate, Cycles, Counter, Exact };

enum class Agreement {
  Same,       ///< within the tolerance
  Ambiguous,  ///< beyond it, but the intervals touch: more launches would tell
  Differs,    ///< beyond it, and the intervals lie apart
};

struct Difference {
  std::string id, estimate, unit;
  Kind kind = Kind::Cycles;
  Agreement agreement = Agreement::Same;
  double before = 0, after = 0;
  double tolerance = 0;  ///< in the estimate's unit
};

/// A case that has numbers in one record only, or whose outcome changed. "absent" where a record has no such case.
struct OutcomeChange {
  std::string id, before, after;
};

struct Comparison {
  int same = 0, ambiguous = 0, differs = 0;
  std::vector<Difference> disagreements;  ///< ambiguous ones and those that differ, in the order of the first record
  std::vector<OutcomeChange> outcomes;
  std::vector<std::string> other_code;  ///< cases whose timed machine code is not the same

  /// Every number of one record has its equal in the other.
  [[nodiscard]] bool agree() const { return disagreements.empty() && outcomes.empty(); }
};

[[nodiscard]] Comparison compare(const Record& before, const Record& after);

/// For a terminal: the table of what does not agree, then the counts. Ends with a newline.
[[nodiscard]] std::string compare_text(const Comparison& comparison);
[[nodiscard]] std::string compare_json(const Comparison& comparison);

}  // namespace warpclock
