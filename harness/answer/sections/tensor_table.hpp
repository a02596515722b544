#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer/numbers/figures.hpp"
#include "base/error.hpp"
#include "record/record.hpp"
#include "record/selector.hpp"

namespace warpclock {

/// The kinds of numbers in a row, in the order of tensor.yaml.
enum class TensorColumn { Latency, Interval, Random, Zeros, Sustained, SustainedZeros };
constexpr std::size_t tensor_columns = 6;
constexpr std::array<const char*, tensor_columns> tensor_column_names = {"latency", "interval",  "random",
                                                                         "zeros",   "sustained", "sustained_zeros"};

/// An instruction whose shapes and types form rows of the table.
struct TensorKind {
  std::string instruction;                   ///< "mma.sync"
  std::string shape, source;                 ///< templates with {parameter}; source may be empty
  std::string inputs, accumulator, operand;  ///< names of parameters; operand may be empty
  bool dense = true;
  std::array<std::vector<Selector>, tensor_columns> from;
};

/// FMA/clk/SM of dense products that a source states for a compute capability.
struct TensorPeaks {
  int sm = 0;  ///< compute capability times ten
  std::string source;
  std::map<std::string, double> rates;  ///< by the type of A and B
};

struct TensorTable {
  std::vector<TensorKind> kinds;
  std::vector<TensorPeaks> peaks;
};

/// The text is foreign input: error "config" at "file:line:column".
[[nodiscard]] Expected<TensorTable> parse_tensor(const std::string& file, std::string_view text);

/// The opcode table that the program carries.
[[nodiscard]] const Expected<TensorTable>& known_tensor();

/// A number and the case that it comes from.
struct TensorNumber {
  double value = 0;
  const Row* row = nullptr;
  double low = 0;  ///< lower end of its interval

  /// For a rate: the operations of all SMs at the clock at which they ran, in 10^12 per second; an FMA counts as two.
  /// Nothing if that clock is unknown: readings between launches do not show how far tensor cores lower it.
  [[nodiscard]] std::optional<ClockedNumber> teraops(int sms) const;
};

struct TensorLine {
  std::string shape, source;
  std::vector<std::pair<std::string, TensorNumber>> latency;       ///< by operand, or a single one without a name
  std::array<std::optional<TensorNumber>, tensor_columns> number;  ///< all columns except the latency
  std::string becomes;                                             ///< its machine code: "HGMMA.64x256x16.F32",
                                                                   ///< "emulated: ..."
  std::vector<const Row*> missing;                                 ///< its cases that were not measured

  /// All rates of random data; `number` has the highest of them.
  std::vector<TensorNumber> random;

  /// The rate of random data with the same parameters as the rate of zeros, if that is not the highest rate of random
  /// data. The rate of zeros must be compared with this one.
  [[nodiscard]] const TensorNumber* random_of_zeros() const;

  [[nodiscard]] const std::optional<TensorNumber>& at(TensorColumn column) const {
    return number.at(static_cast<std::size_t>(column));
  }
  /// The highest rate of dense or sparse products, random or not; nothing if none was measured.
  [[nodiscard]] std::optional<double> rate() const;
};

/// The shapes of an instruction with the same types.
struct TensorGroup {
  std::string instruction, inputs, accumulator;
  bool dense = true;
  double peak = 0;          ///< FMA/clk/SM; 0 if none is stated or measured
  std::string peak_source;  ///< "H100 Tensor Core GPU Architecture ...", or "the best measured"
  std::vector<TensorLine> lines;
};

/// The record's rows, grouped by instruction in the order of the table and of the record's cases. Points into `record`.
/// Pure.
[[nodiscard]] std::vector<TensorGroup> tensor_groups(const TensorTable& table, const Record& record);

/// "1755 MHz, 654 W": clock and power while the launches of the number ran, on all SMs.
[[nodiscard]] std::string conditions_text(const TensorNumber& number);
/// "98.2 %" of the group's peak; empty if there is none.
[[nodiscard]] std::string peak_text(const TensorGroup& group, const TensorLine& line);

}  // namespace warpclock
