#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advise/advice.hpp"
#include "model/machine.hpp"
#include "model/measured.hpp"
#include "record/kernel_record.hpp"

namespace warpclock {

inline constexpr std::int64_t lanes_in_warp = 32;

/// The records of a GPU and the model that was made from them. All must outlive it.
struct AdviceSource {
  const MeasuredGpu& gpu;
  const Machine& machine;
  const KernelTable* kernels = nullptr;  ///< cases.json, if there is one
};

/// Takes measured numbers from a GPU, and writes into an answer which ones were taken and which are missing.
class Citations {
 public:
  Citations(const AdviceSource& from, Advice& answer) : from_(from), answer_(answer) {}

  /// A leaf by its path. Nothing if it was not measured; the answer then says so.
  std::optional<double> leaf(const std::string& path);
  /// An estimate of a row of a record.
  void row(const std::string& record, const CaseRecord& row, const Estimate& estimate);
  void unknown(const std::string& sentence);

  [[nodiscard]] const AdviceSource& from() const { return from_; }

 private:
  AdviceSource from_;
  Advice& answer_;
};

/// A measured row with a verified window, and the record that it is in.
struct RecordRow {
  std::string record;
  const CaseRecord* row = nullptr;
  const Estimate* estimate = nullptr;
};

/// The rows of a probe that have the estimate: those of the first record that has any, its own result first.
[[nodiscard]] std::vector<RecordRow> rows_of(const MeasuredGpu& gpu, const std::string& probe,
                                             const std::string& estimate);
/// 0 if the row has no such whole number.
[[nodiscard]] std::int64_t whole(const CaseRecord& row, const std::string& parameter);
/// Empty if the row has no such word.
[[nodiscard]] std::string word_of(const CaseRecord& row, const std::string& parameter);

/// Sums up predictions of rows.
class ErrorSum {
 public:
  explicit ErrorSum(std::string of) { check_.of = std::move(of); }
  /// Ignored unless the measured value is positive.
  void add(double predicted, double measured, const std::string& row);
  /// Nothing if no row was compared.
  [[nodiscard]] std::optional<ModelCheck> result() const;

 private:
  ModelCheck check_;
  double sum_ = 0;
};

}  // namespace warpclock
