#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/yaml/yaml_archive.hpp"
#include "plan/parameters.hpp"
#include "record/record.hpp"

namespace warpclock {

/// An end of a range: a number, or the size of L2 that the driver states.
struct RangeEnd {
  double value = 0;
  bool l2 = false;
};

/// A condition on a parameter of a case or curve: one value, or an inclusive range.
struct ParameterRule {
  std::string name;
  std::optional<Value> equals;
  RangeEnd low, high;  ///< used if `equals` is empty
};

/// Which numbers of a GPU's records are meant. It is written in YAML, with the same keys in all files
/// (harness/record/README.md).
struct Selector {
  enum class Kind {
    Cases,        ///< an estimate of measured cases
    Half,         ///< half of it: one way of a round trip
    Feature,      ///< what was found on a curve of cases
    Line,         ///< the estimate over bytes: fixed part, cycles per byte, and the misfit of the line
    Reach,        ///< the fewest bytes with which the estimate is at least 90 % of its highest
    Clock,        ///< the SM clock of cases; `window`: only where the kernel measured it while its window ran
    Instruction,  ///< an estimate of a row of instructions.json
    Device        ///< what the driver states, or follows from that
  };
  enum class Part { Any, Inside, Beyond };
  enum class Take { All, Highest, Lowest, End };  ///< in YAML `range` is All, and End has a key of its own

  Kind kind = Kind::Cases;
  std::string probe;  ///< Instruction: the id of the row; Device: empty
  std::string name;   ///< of the estimate, the feature or the device's fact
  std::vector<ParameterRule> with;
  std::string where;                                          ///< features: "L1", "L2", "DRAM", "unnamed"; empty: any
  std::map<std::string, std::pair<double, double>> counters;  ///< cases: inclusive limits
  Part part = Part::Any;                                      ///< features: relative to the size of L2
  Take take = Take::All;
  std::string end_of;  ///< with Take::End: the parameter whose position is meant
  Product over;        ///< Line, Reach: bytes
};

/// Where a selector is written.
struct SelectorKeys {
  std::vector<Selector::Kind> kinds;  ///< those that it may have
  std::string probe = {};             ///< of this probe, so that the map has no key `probe`; empty: it has
  bool of_one_number = false;         ///< without `end`
};

void describe(YamlArchive& a, Selector& v, const SelectorKeys& keys);

/// One of the numbers that a selector means.
struct Selected {
  double value = 0, low = 0, high = 0;
  std::string unit;                      ///< empty for a position on an axis that is not in bytes
  std::string name;                      ///< the id of its case, or the name of the feature
  SmClock clock;                         ///< measured around its cases: their median, and the lowest and the highest
  std::vector<const CaseRecord*> cases;  ///< of a level those in it; of another feature those of its curve
};

/// Whether a row is of the selector's probe, parameters and, if it is measured, counters. `bound` are parameters with
/// one value each.
[[nodiscard]] bool means(const Selector& selector, const CaseRecord& row, const DeviceFacts& device,
                         const Parameters& bound = {});

/// The measured cases with a verified window that a selector means, in the record's order; of a feature, those of its
/// probe and parameters.
[[nodiscard]] std::vector<const CaseRecord*> cases_at(const Record& record, const Selector& selector,
                                                      const Parameters& bound = {});

/// The numbers of a selector of cases, of half of them, of features or of clocks, before one of several is taken.
[[nodiscard]] std::vector<Selected> selected(const Record& record, const Selector& selector,
                                             const Parameters& bound = {});

/// The one that is taken of at least one. The highest is the one with the highest lower bound, because the highest
/// value of many is biased upwards.
[[nodiscard]] const Selected& taken(const std::vector<Selected>& all, bool highest);

/// The cases of `rows` that a feature follows from: those of a level, or those between which something ends; else its
/// curve.
[[nodiscard]] std::vector<const CaseRecord*> cases_of(const Feature& feature,
                                                      const std::vector<const CaseRecord*>& rows);

/// The median of the clocks around these cases, with the lowest and the highest; of cases without a clock 0.
[[nodiscard]] SmClock clock_of(const std::vector<const CaseRecord*>& rows);

}  // namespace warpclock
