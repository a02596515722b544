#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/sheet/sheet.hpp"
#include "record/outline.hpp"
#include "record/record.hpp"

namespace warpclock {

enum class Agreement {
  Same,     ///< within the tolerance of its kind
  Varies,   ///< outside the tolerance, but one of the rows gives a reason that explains as much: Estimate::varies
  Differs,  ///< outside the tolerance
};

template <>
inline constexpr auto enum_words<Agreement> = std::array<std::string_view, 3>{"same", "varies", "differs"};

struct Difference {
  std::string id, estimate, unit;
  EstimateKind kind = EstimateKind::Cycles;
  Agreement agreement = Agreement::Same;
  double before = 0, after = 0;
  double tolerance = 0;  ///< in the estimate's unit
  std::string why;       ///< the reason, if a row says that it varies, even if not by this much
};

/// A case that has numbers in only one record, or whose outcome changed. "absent" if a record has no such case.
struct OutcomeChange {
  std::string id, before, after;
};

struct Comparison {
  int same = 0, varies = 0, differs = 0;
  std::vector<Difference> disagreements;  ///< every Varies and Differs, in the order of the first record
  std::vector<OutcomeChange> outcomes;
  int added = 0;    ///< points of curves that only one record has: a run adds points near the steps that it finds
  std::string gpu;  ///< the result of same_gpu() for the two
  std::vector<std::string> other_code;  ///< cases whose timed machine code differs

  /// Whether every number of one record has an equal one in the other, or a reason why not.
  [[nodiscard]] bool agree() const { return differs == 0 && outcomes.empty(); }
};

/// Two records of the same kind of file. Not compared are intercepts, which are overhead, what ptxas encodes, and of
/// PTX instructions intervals, each of which is the reciprocal of a rate, and saturation points, which are points of a
/// grid.
[[nodiscard]] Comparison compare(const Record& before, const Record& after);

/// The counts, then what does not agree, then changed outcomes.
[[nodiscard]] Sheet compare_sheet(const Comparison& comparison);

}  // namespace warpclock
