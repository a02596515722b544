#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "record/record.hpp"
#include "record/selector.hpp"

namespace warpclock {

/// Something for which a result may have a number: "l1.latency".
struct Quantity {
  std::string name, says;
  std::vector<Selector> from;
};

/// By name.
using Quantities = std::map<std::string, Quantity>;

/// The text is foreign input: error "config" at "file:line:column".
[[nodiscard]] Expected<Quantities> parse_quantities(const std::string& file, std::string_view text);

/// How a quantity, an answer or a published value says where it is: by cases, half of them, features, or what the
/// driver states. Of `probe`, if it is given.
[[nodiscard]] SelectorKeys place_of(const std::string& probe = "");

/// The quantities that the program carries.
[[nodiscard]] const Expected<Quantities>& known_quantities();

/// The value of a quantity in a result.
struct QuantityValue {
  const Quantity* quantity = nullptr;
  double value = 0;            ///< the lower end of a range
  double low = 0, high = 0;    ///< interval, from the intervals of the underlying numbers
  std::optional<double> most;  ///< the upper end of a range
  std::string unit;            ///< empty for a position on an axis that is not in bytes
  std::string probe;           ///< empty for what the driver states
  std::string from;            ///< "latency.1", "highest of 6 cases", "stated by the driver"
  std::string row;             ///< the id of the case, or the name of the feature, if it is the number of one
  SmClock clock;               ///< measured around it
  std::string preferred;       ///< the preferred probe, if the record has no case of it; or empty
};

/// The value at the first place of the quantity that the record has. Pure.
[[nodiscard]] std::optional<QuantityValue> find_quantity(const Record& record, const Quantity& quantity);

/// The value at one place.
[[nodiscard]] std::optional<QuantityValue> find_at(const Record& record, const Selector& place);

/// "2112 B", "217.5 KiB".
[[nodiscard]] std::string bytes_text(double bytes);
/// "34.0 cycles", "278.9 – 281.3 cycles", "217.5 KiB", "127.7 B/clk/SM".
[[nodiscard]] std::string value_text(const QuantityValue& found);
/// "between 33.9 and 34.1 cycles"; empty if there is no interval or these digits do not show it.
[[nodiscard]] std::string interval_text(const QuantityValue& found);

}  // namespace warpclock
