#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/case_table.hpp"
#include "measure/compile_cases.hpp"
#include "measure/inputs.hpp"
#include "measure/journal.hpp"
#include "record/record.hpp"

namespace warpclock {

/// How a run uses its journal.
struct JournalUse {
  RunGround ground;
  JournalUser user;
  bool fresh = false;  ///< take over no rows
};

/// What was in a journal.
struct TakenOver {
  std::size_t rows = 0;
  std::string differs;  ///< if its rows are not taken over: what was different for them
};

/// One run of cases on one device. The steps are time(), refine(), count() and finish(), in this order.
class SuiteRun {
 public:
  /// `cases` are those of plan() for the worker's device; `progress` is called with what is measured at the moment, and
  /// with an empty text at the end of a step. Borrows the inputs and the worker.
  SuiteRun(const Inputs& inputs, std::vector<Case> cases, Worker& worker,
           std::function<void(const std::string&)> progress);

  /// Stores each row in this file as soon as it is measured, and takes over the rows that a stopped run left there.
  /// Error "io".
  [[nodiscard]] Expected<TakenOver> keep_journal(const std::filesystem::path& path, const JournalUse& use);

  /// Cases that this run does not measure, and that a later run adds to the journal. Call it before time().
  void leave(std::function<bool(const Case&)> left) { left_ = std::move(left); }

  /// Compiles, verifies and times every case. The first cases are timed while the others are compiled. Errors: those of
  /// compile_cases() and run_benchmarks(), "device-lost"; "io" if a row cannot
  /// be stored: then nothing more is measured.
  [[nodiscard]] Expected<void> time(const CompileCasesOptions& how, const std::vector<std::string>& benchmark_flags);

  /// Adds cases where the curves of the suite bend. Errors: those of time().
  [[nodiscard]] Expected<void> refine();

  /// Reads the hardware counters that rows ask for. It follows all timing, so that the profiler is enabled once, and
  /// never during a timing. Errors: "config" (an unknown metric), "io".
  [[nodiscard]] Expected<void> count();

  /// The record of all rows, with everything but its provenance, of which it has the times and what was taken over.
  /// Call it once.
  [[nodiscard]] Record finish();

  /// Deletes the journal. For when the record is written.
  void forget_journal() const;

 private:
  [[nodiscard]] const Row* taken_over(std::size_t i) const;
  [[nodiscard]] Expected<void> keep(const Row& row);
  [[nodiscard]] Expected<Row> time_later(std::size_t i);
  [[nodiscard]] std::vector<Expected<Observation>> count_together(const std::vector<std::size_t>& cases,
                                                                  const std::vector<Job>& jobs);

  const Inputs& inputs_;
  Worker& worker_;
  std::function<void(const std::string&)> progress_;
  CaseTable table_;
  Record record_;
  std::function<bool(const Case&)> left_;
  std::optional<Journal> journal_;
  std::vector<std::string> taken_;  ///< ids of the rows that were taken over from it
  std::chrono::steady_clock::time_point measuring_;
};

}  // namespace warpclock
