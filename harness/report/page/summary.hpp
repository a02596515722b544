#pragma once

#include <string>
#include <vector>

#include "report/overview/reported_gpu.hpp"

namespace warpclock {

/// README.md of all reports, for where a repository is browsed: the front tables with a column for each GPU, and its
/// pages. Pure.
[[nodiscard]] std::string render_summary(const std::vector<ReportedGpu>& gpus);

/// README.md of one GPU: the front tables, its pages, each probe with its answer and question, and the GPU. Pure.
[[nodiscard]] std::string render_gpu_summary(const ReportedGpu& gpu);

}  // namespace warpclock
