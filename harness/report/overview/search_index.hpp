#pragma once

#include <string>

#include "report/overview/reported_gpu.hpp"

namespace warpclock {

/// What the search of a page finds (assets/search.js): quantities, probes, instructions and opcodes of all pages of a
/// GPU, and the words that mean the same (assets/search.yaml). JSON, packed. One index serves all pages of the GPU:
/// its hrefs are relative to the GPU's folder.
[[nodiscard]] std::string search_index(const ReportedGpu& gpu);

/// The same before it is packed.
[[nodiscard]] std::string search_text(const ReportedGpu& gpu);

}  // namespace warpclock
