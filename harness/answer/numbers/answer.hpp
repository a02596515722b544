#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer/numbers/figures.hpp"
#include "answer/numbers/quantity.hpp"
#include "base/error.hpp"
#include "record/outline.hpp"

namespace warpclock {

/// How a number that answers a probe's question is made from the result (assets/answers.yaml).
struct Answer {
  std::string label;
  Selector from;
  std::string by;  ///< a parameter: one number for each of its values; empty: one number

  /// The least value of a product of parameters with which the estimate is within `within` percent of the best one.
  struct Reaches {
    bool highest = true;  ///< whether the best one is the highest or the lowest
    double within = 0;
    Product at;
    std::string unit;
  };
  std::optional<Reaches> reaches;

  /// The values of a parameter with which every estimate is at least, or at most, a number.
  struct Which {
    std::string parameter;
    double at_least = -std::numeric_limits<double>::infinity();
    double at_most = std::numeric_limits<double>::infinity();
  };
  std::optional<Which> which;
};

/// By probe.
using Answers = std::map<std::string, std::vector<Answer>>;

/// The text is foreign input: error "config" at "file:line:column".
[[nodiscard]] Expected<Answers> parse_answers(const std::string& file, std::string_view text);

/// An answer of answers.yaml or search.yaml. Of `probe`, if it is given; else its place names the probe.
void describe(YamlArchive& a, Answer& v, const std::string& probe);

/// The answers that the program carries.
[[nodiscard]] const Expected<Answers>& known_answers();

/// The numbers of one answer; none if the record has none.
[[nodiscard]] std::vector<Headline> numbers_of(const Record& record, const ProbeOutline& probe, const Answer& answer);

/// The numbers that answer the probe's question: those of `known`; else the levels of its curves that counters name;
/// else its estimates, by the values of a parameter whose ranges are apart, or all together (headlines()). Readers have
/// them in the record: ProbeRecord::answers.
[[nodiscard]] std::vector<Headline> answers(const Record& record, const ProbeOutline& probe, const Answers& known);

/// The record as it is written: rounded(), each number with the cause of its variation (find_causes()), each probe with
/// its answers by known_answers(). One that is finished stays as it is.
[[nodiscard]] Record finished(Record record);

}  // namespace warpclock
