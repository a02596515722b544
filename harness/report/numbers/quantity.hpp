#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "plan/config/yaml.hpp"
#include "plan/parameters.hpp"

namespace warpclock {

/// An end of a range: a number, or the size of L2 that the driver states.
struct RangeEnd {
  double value = 0;
  bool l2 = false;
};

/// A condition on a parameter of a case or curve: one value, or a range.
struct ParameterRule {
  std::string name;
  std::optional<Value> equals;
  RangeEnd low, high;  ///< used if `equals` is empty
};

/// A place in a result where a quantity may be found.
struct QuantityPlace {
  enum class Kind { Feature, Cases, Device };
  enum class Part { Any, Inside, Beyond };
  enum class Take { Range, Highest, Lowest, End };

  Kind kind = Kind::Cases;
  std::string probe;  ///< empty for what the device states
  std::string name;   ///< name of the feature, the estimate or the device's fact
  std::vector<ParameterRule> with;
  std::string where;                                          ///< features: "L1", "L2", "DRAM", "unnamed"; empty: any
  std::map<std::string, std::pair<double, double>> counters;  ///< cases
  Part part = Part::Any;                                      ///< features: relative to the size of L2
  Take take = Take::Range;
  std::string end_of;  ///< with Take::End: the parameter whose position is meant
};

/// Something for which a result may have a number: "l1.latency".
struct Quantity {
  std::string name, says;
  std::vector<QuantityPlace> from;
};

/// By name.
using Quantities = std::map<std::string, Quantity>;

/// The text is foreign input: error "config" at "file:line:column".
[[nodiscard]] Expected<Quantities> parse_quantities(const std::string& file, std::string_view text);

/// A place of quantities.yaml. Of `probe`, if it is given; the map then has no key `probe`.
[[nodiscard]] QuantityPlace read_quantity_place(const Node& item, const std::string& probe = "");

/// The quantities that the program carries.
[[nodiscard]] const Expected<Quantities>& known_quantities();

}  // namespace warpclock
