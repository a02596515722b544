#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plan/config/yaml.hpp"
#include "plan/parameters.hpp"

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
    Clock,        ///< the SM clock measured around cases
    Instruction,  ///< an estimate of a row of instructions.json
    Device        ///< what the driver states, or follows from that
  };
  enum class Part { Any, Inside, Beyond };
  enum class Take { All, Highest, Lowest, End };

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

/// Reads a selector of one of these kinds; of `probe`, if it is given: the map then has no key `probe`.
[[nodiscard]] Selector read_selector(const Node& item, std::span<const Selector::Kind> kinds,
                                     const std::string& probe = "");

}  // namespace warpclock
