#pragma once

#include <string>
#include <vector>

#include "answer/overview/reported_gpu.hpp"

namespace warpclock {

/// What the search of a page finds (assets/search.js): the topics of `warpclock ask` with their numbers; quantities,
/// probes, instructions and opcodes of all pages of a GPU; and the words of assets/search.yaml. JSON, which a page
/// carries packed. One index serves all pages of the GPU: its hrefs are relative to the GPU's folder.
[[nodiscard]] std::string search_text(const ReportedGpu& gpu);

/// The same for the page of all GPUs: each hit names its GPU, and instructions have the values of all. Pages are
/// relative to the folder of all reports.
[[nodiscard]] std::string search_text_of_all(const std::vector<ReportedGpu>& gpus);

}  // namespace warpclock
