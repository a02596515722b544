#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "record/select/selector.hpp"

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

/// A selector of which a quantity, an answer or a published value may be: of cases, half of them, features, or what the
/// driver states.
[[nodiscard]] Selector read_place(const Node& item, const std::string& probe = "");

/// The quantities that the program carries.
[[nodiscard]] const Expected<Quantities>& known_quantities();

}  // namespace warpclock
