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

/// A number that others have published.
struct PublishedValue {
  int sm = 0;  ///< compute capability times ten
  const Quantity* quantity = nullptr;
  std::string gpu;           ///< "H100 PCIe"
  double low = 0, high = 0;  ///< equal if it is one number
  std::string unit;
  std::string given;    ///< how the source states it, if in another unit
  std::string source;   ///< who, and where to find it
  std::string checked;  ///< "read at its source", "as quoted by others"
  std::string device;   ///< part of the GPU's name if the number applies to one board; else empty
  std::string because;  ///< why it differs; "not known" is an answer
};

/// The text is foreign input: error "config" at "file:line:column". Points into `quantities`.
[[nodiscard]] Expected<std::vector<PublishedValue>> parse_published(const std::string& file, std::string_view text,
                                                                    const Quantities& quantities);

/// The published values that the program carries.
[[nodiscard]] const Expected<std::vector<PublishedValue>>& known_published();

/// Numbers that differ by more than this share need an explanation.
constexpr double unremarkable_difference = 0.05;

/// A published number and the measured one.
struct PublishedLine {
  const PublishedValue* published = nullptr;
  QuantityValue measured;
  double difference = 0;  ///< of the measured one, as a share of the published one; 0 if ranges overlap
  std::string says, measured_text, published_text, difference_text,
      why;  ///< `why` is empty if there is little to say
};

/// The values for the result's compute capability whose quantity that probe found; an empty `probe` means those that
/// the driver states. GB/s are compared with the rate of an SM times the number of SMs. Values whose units cannot be
/// compared are left out. Pure.
[[nodiscard]] std::vector<PublishedLine> published_lines(const std::vector<PublishedValue>& values,
                                                         const Record& record, std::string_view probe);

}  // namespace warpclock
