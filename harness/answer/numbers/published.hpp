#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "answer/numbers/quantity.hpp"
#include "base/error.hpp"
#include "record/record.hpp"

namespace warpclock {

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
