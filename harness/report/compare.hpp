#pragma once

#include <string>
#include <vector>

#include "record/instruction_record.hpp"
#include "record/record.hpp"
#include "record/tolerance.hpp"

namespace warpclock {

enum class Agreement {
  Same,     ///< within the tolerance of its kind
  Varies,   ///< beyond it, and the row of one of the records says why, which explains as much; see Variations
  Differs,  ///< beyond it
};

struct Difference {
  std::string id, estimate, unit;
  Kind kind = Kind::Cycles;
  Agreement agreement = Agreement::Same;
  double before = 0, after = 0;
  double tolerance = 0;  ///< in the estimate's unit
  std::string why;       ///< where a row says that it varies, also if not by so much
};

/// A case that has numbers in one record only, or whose outcome changed. "absent" where a record has no such case.
struct OutcomeChange {
  std::string id, before, after;
};

struct Comparison {
  int same = 0, varies = 0, differs = 0;
  std::vector<Difference> disagreements;  ///< what is not the same, in the order of the first record
  std::vector<OutcomeChange> outcomes;
  std::string gpu;                      ///< as same_gpu() says it of the two
  std::vector<std::string> other_code;  ///< cases whose timed machine code is not the same

  /// Every number of one record has its equal in the other, or says why not.
  [[nodiscard]] bool agree() const { return differs == 0 && outcomes.empty(); }
};

/// Intercepts are overhead and are not compared.
[[nodiscard]] Comparison compare(const Record& before, const Record& after);

/// The same of two instruction tables: latencies and rates. An interval is a rate turned round, and where a rate is
/// saturated is a point of a grid; neither is compared.
[[nodiscard]] Comparison compare(const InstructionTable& before, const InstructionTable& after);

/// For a terminal: the table of what does not agree, then the counts. Ends with a newline.
[[nodiscard]] std::string compare_text(const Comparison& comparison);
[[nodiscard]] std::string compare_json(const Comparison& comparison);

}  // namespace warpclock
