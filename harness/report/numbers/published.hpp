#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "record/record.hpp"
#include "report/numbers/finding.hpp"
#include "report/numbers/quantity.hpp"

namespace warpclock {

/// A number that others have published.
struct PublishedValue {
  int sm = 0;  ///< compute capability times ten
  const Quantity* quantity = nullptr;
  std::string gpu;           ///< "H100 PCIe"
  double low = 0, high = 0;  ///< the same where it is one number
  std::string unit;
  std::string given;    ///< how the source says it, where that is in another unit
  std::string source;   ///< who, and where to find it
  std::string checked;  ///< "read at its source", "as quoted by others"
  std::string device;   ///< what a GPU's name has in it where the number is stated of a board; empty otherwise
  std::string because;  ///< why it is another number; "not known" is an answer
};

/// Foreign input: error "config" at "file:line:column". Points into `quantities`.
[[nodiscard]] Expected<std::vector<PublishedValue>> parse_published(const std::string& file, std::string_view text,
                                                                    const Quantities& quantities);

/// Those that the program carries.
[[nodiscard]] const Expected<std::vector<PublishedValue>>& known_published();

/// Beyond this share two numbers need a word on why.
constexpr double unremarkable_difference = 0.05;

/// A published number beside the measured one.
struct PublishedLine {
  const PublishedValue* published = nullptr;
  Finding measured;
  double difference = 0;  ///< of the measured one, as a share of the published; 0 where ranges overlap
  std::string says, measured_text, published_text, difference_text,
      why;  ///< `why` is empty where there is little to say
};

/// Those of the result's compute capability whose quantity the result has, found by that probe (empty:
/// stated by the driver). A rate
/// of an SM is compared with GB/s as that of all SMs. What the units keep from being compared is left out. Pure.
[[nodiscard]] std::vector<PublishedLine> published_lines(const std::vector<PublishedValue>& values,
                                                         const Record& record, std::string_view probe);

}  // namespace warpclock
