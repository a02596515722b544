#include "report/sections/kernel_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/terminal.hpp"
#include "check/error_summary.hpp"
#include "check/row_text.hpp"
#include "plan/sweep.hpp"
#include "predict/prediction_output.hpp"
#include "record/outcome.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {
KernelCells kernel_cells(const KernelRow& row) {
  KernelCells cells;
  cells.point = row.parameters.empty() ? "-" : to_string(row.parameters);
  if (row.held_out) cells.point += " (held out)";
  const KernelPrediction& predicted = row.prediction;
  cells.predicted = predicted.refused.empty() ? range_text(predicted.low, predicted.high) : "refused";
  cells.predicted_limiter = shares_text(predicted.bounds, 2);
  if (!row.measurement) {
    cells.measured = std::string(word(row.outcome)) + ": " + row.reason.code;
    return cells;
  }
  const KernelMeasurement& seen = *row.measurement;
  cells.measured = fmt::format("{:.0f} ({:.0f} to {:.0f}){}", seen.cycles, seen.cycles_low, seen.cycles_high,
                               seen.by == "events" ? " by events" : "");
  if (const auto error = error_of(row)) cells.error = error_text(*error);
  cells.measured_limiter = seen.limiter.empty() ? "no counters" : shares_text(seen.shares, 2);
  cells.library = library_text(row);
  if (const auto agrees = limiter_agrees(row)) cells.agrees = *agrees ? "yes" : "no: " + seen.limiter;
  return cells;
}

std::vector<KernelStudyRows> studies_of(const KernelTable& table) {
  std::vector<KernelStudyRows> studies;
  for (const KernelRow& row : table.rows) {
    auto known = std::ranges::find(studies, row.study, &KernelStudyRows::study);
    if (known == studies.end()) known = studies.insert(studies.end(), {row.study, row.says, {}});
    known->rows.push_back(&row);
    known->compared = known->compared || row.library;
  }
  return studies;
}

std::vector<std::string> kernel_summary(const KernelTable& table) {
  std::vector<std::string> lines;
  const auto measured =
      std::ranges::count_if(table.rows, [](const KernelRow& row) { return row.measurement.has_value(); });
  const auto refused =
      std::ranges::count_if(table.rows, [](const KernelRow& row) { return !row.prediction.refused.empty(); });
  lines.push_back(fmt::format("{}: {} measured, {} without a prediction", counted(std::ssize(table.rows), "kernel"),
                              measured, refused));
  std::ranges::move(error_lines(table.rows), std::back_inserter(lines));
  return lines;
}

std::vector<std::string> kernel_gaps(const KernelTable& table) {
  std::vector<std::string> lines;
  for (const KernelRow& row : table.rows) {
    if (!row.prediction.refused.empty()) lines.push_back(row.id + " is not predicted: " + row.prediction.refused);
    if (row.outcome != Outcome::Measured)
      lines.push_back(fmt::format("{} is {}: {}: {}", row.id, word(row.outcome), row.reason.code, row.reason.text));
  }
  return lines;
}

std::string kernel_title(const KernelTable& table) {
  const std::vector<KernelStudyRows> studies = studies_of(table);
  const std::string what = studies.size() == 1 ? "Kernels of the study \"" + studies.front().study + "\"" : "Kernels";
  const bool measured =
      std::ranges::any_of(table.rows, [](const KernelRow& row) { return row.measurement.has_value(); });
  return what + (measured ? ", predicted and measured on " : ", predicted for ") + name_of(table.device);
}

std::string kernel_legend(const KernelTable& table) {
  const bool compared = std::ranges::any_of(table.rows, [](const KernelRow& row) { return row.library.has_value(); });
  const std::string library =
      compared
          ? " Library: what a call of it takes that does the same work, by events, in percent of what the kernel takes."
          : "";
  return "Predicted: cycles of the launch, by warpclock predict; a range if the GPU has no row for an instruction. "
         "Measured: sm__cycles_active.max, the cycles in which an SM had a warp, of the SM with the most of them; "
         "median and range of five launches. By events: the time of 15 launches less that of an empty kernel, times "
         "the SM clock. Error: predicted less measured, in percent of measured. Limiter: the two resources that are "
         "used most. Counted: pipes and issue slots as a share of CUPTI's peak, L2 and DRAM as a share of the rates "
         "that this GPU reaches; if all are below 60 %, the latencies of one warp limit the kernel." +
         library;
}

}  // namespace warpclock
