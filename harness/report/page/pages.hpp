#pragma once

#include <span>
#include <string>
#include <vector>

#include "answer/overview/reported_gpu.hpp"
#include "fleet/baseline.hpp"
#include "fleet/fleet.hpp"
#include "inspect/inspection.hpp"
#include "predict/prediction.hpp"
#include "record/instruction_record.hpp"
#include "record/kernel_record.hpp"
#include "record/machine_record.hpp"
#include "record/record.hpp"
#include "report/page/page.hpp"

namespace warpclock {

// Each page is pure: the same records give the same bytes.

/// report.html.
[[nodiscard]] std::string render_suite(const Record& record, const PagePlace& place = {});

/// instructions.html, for one table or for several GPUs side by side.
[[nodiscard]] std::string render_instruction_html(std::span<const InstructionTable> tables,
                                                  const PagePlace& place = {});

/// machine.html.
[[nodiscard]] std::string render_machine_html(const MachineTable& table, const PagePlace& place = {});

/// cases.html: kernels with what was predicted, what was measured, and the signed error.
[[nodiscard]] std::string render_kernel_html(const KernelTable& table, const PagePlace& place = {});

/// index.html of all reports, and of one GPU.
[[nodiscard]] std::string render_index(const std::vector<ReportedGpu>& gpus, const PagePlace& place);
[[nodiscard]] std::string render_gpu(const ReportedGpu& gpu, const PagePlace& place);

/// The page of a fleet: a map with a square for each GPU, what is away from the rest, and the distribution of each row.
/// `gate` may be null.
[[nodiscard]] std::string render_fleet(const Fleet& fleet, const GateResult* gate);

/// The page of a file: the facts of each kernel, its loops, and its listing with the control fields, where loops,
/// chains that carry a result from trip to trip, and spills are marked.
[[nodiscard]] std::string render_inspection(const Inspection& inspection);

/// The page of predictions: what each says, and the issues of its timeline, warps over cycles with the pipes of each
/// sub-partition below.
[[nodiscard]] std::string render_predictions(const std::vector<Prediction>& predictions);

/// README.md of all reports, for where a repository is browsed: the front tables with a column for each GPU, and its
/// pages.
[[nodiscard]] std::string render_summary(const std::vector<ReportedGpu>& gpus);

/// README.md of one GPU: the front tables, its pages, each probe with its answer and question, and the GPU.
[[nodiscard]] std::string render_gpu_summary(const ReportedGpu& gpu);

}  // namespace warpclock
