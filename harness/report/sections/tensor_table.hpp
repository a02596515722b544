#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "record/record.hpp"

namespace warpclock {

/// What the numbers of a row are from, in the order of tensor.yaml.
enum class TensorColumn { Latency, Interval, Random, Zeros, Sustained, SustainedZeros };
constexpr std::size_t tensor_columns = 6;

/// An instruction whose shapes and types are rows of the table.
struct TensorKind {
  std::string instruction;                   ///< "mma.sync"
  std::string shape, source;                 ///< with {parameter}; source may be empty
  std::string inputs, accumulator, operand;  ///< parameters; operand may be empty
  bool dense = true;
  std::array<std::vector<std::string>, tensor_columns> probes;
};

/// FMA/clk/SM of dense products, as somebody states them for a compute capability.
struct TensorPeaks {
  int sm = 0;  ///< compute capability times ten
  std::string source;
  std::map<std::string, double> rates;  ///< by the type of A and B
};

struct TensorTable {
  std::vector<TensorKind> kinds;
  std::vector<TensorPeaks> peaks;
};

/// Foreign input: error "config" at "file:line:column".
[[nodiscard]] Expected<TensorTable> parse_tensor(const std::string& file, std::string_view text);

/// The table that the program carries.
[[nodiscard]] const Expected<TensorTable>& known_tensor();

/// A number and the case that it is from.
struct TensorNumber {
  double value = 0;
  const CaseRecord* row = nullptr;
  double low = 0;  ///< of its interval

  /// Of a rate: what all SMs multiply and add at the clock that was measured around the case, in 10^12 operations a
  /// second, of which an FMA is two; nothing where the clock is not known.
  [[nodiscard]] std::optional<double> teraops(int sms) const;
};

struct TensorLine {
  std::string shape, source;
  std::vector<std::pair<std::string, TensorNumber>> latency;       ///< by operand, or one without a name
  std::array<std::optional<TensorNumber>, tensor_columns> number;  ///< but the latency
  std::string becomes;                                             ///< "HGMMA.64x256x16.F32", "emulated: ..."
  std::vector<const CaseRecord*> missing;                          ///< its cases that were not measured

  /// Every rate of random data, of which `number` has the highest.
  std::vector<TensorNumber> random;

  /// The rate of random data under the parameters of the rate of zeros, where that is not the highest: what zeros are
  /// to be compared with.
  [[nodiscard]] const TensorNumber* beside_zeros() const;

  [[nodiscard]] const std::optional<TensorNumber>& at(TensorColumn column) const {
    return number.at(static_cast<std::size_t>(column));
  }
  /// The highest rate of dense or sparse products, random or not; nothing where none was measured.
  [[nodiscard]] std::optional<double> rate() const;
};

/// The shapes of an instruction with the same types.
struct TensorGroup {
  std::string instruction, inputs, accumulator;
  bool dense = true;
  double peak = 0;          ///< FMA/clk/SM; 0 where nothing states or measures one
  std::string peak_source;  ///< "H100 Tensor Core GPU Architecture ...", or "the best measured"
  std::vector<TensorLine> lines;
};

/// The record's rows, instruction by instruction in the order of the table and of the record's cases. Points into
/// `record`. Pure.
[[nodiscard]] std::vector<TensorGroup> tensor_groups(const TensorTable& table, const Record& record);

/// "24 (a, b, c)", "26 (a), 33 (c)"; empty without a latency.
[[nodiscard]] std::string latency_text(const TensorLine& line);
/// "2 rejected: nonlinear", "skipped: unsupported-arch"; empty where all was measured.
[[nodiscard]] std::string missing_text(const TensorLine& line);
/// "Peaks in FMA/clk/SM: f16 2048, tf32 1024 (H100 ...); b1 21864 (the best ...)."
[[nodiscard]] std::string peaks_text(const std::vector<TensorGroup>& groups);
/// "98.2 %" of the group's peak; empty without one.
[[nodiscard]] std::string peak_text(const TensorGroup& group, const TensorLine& line);

}  // namespace warpclock
