#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/json_text.hpp"
#include "report/overview/reported_gpu.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// index.html of all reports: the front tables with a column for each GPU, all main numbers, and what differs between
/// them, reduced to its causes. Pure.
[[nodiscard]] std::string render_index(const std::vector<ReportedGpu>& gpus, const PagePlace& place);

/// index.html of one GPU: the front tables, its pages, its main numbers, the answer of each probe, and its board. Pure.
[[nodiscard]] std::string render_gpu(const ReportedGpu& gpu, const PagePlace& place);

/// The sections of front.yaml, with a column for each GPU; rows that no GPU has are left out. Links of `all` begin with
/// the GPU's folder.
[[nodiscard]] Json front_sections(const std::vector<ReportedGpu>& gpus, bool all);

/// The value of a quantity, with a link to its probe; of a rate per clock in GB/s of all SMs, with the rate beside it.
/// Nothing if the GPU has none.
[[nodiscard]] std::optional<Json> quantity_cell(const ReportedGpu& gpu, const Quantity& quantity, bool all);

/// Of the sheets above, for tests.
[[nodiscard]] Json index_sheet(const std::vector<ReportedGpu>& gpus);
[[nodiscard]] Json gpu_sheet(const ReportedGpu& gpu);

}  // namespace warpclock
