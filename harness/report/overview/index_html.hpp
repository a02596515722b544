#pragma once

#include <string>
#include <vector>

#include "report/overview/reported_gpu.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// index.html of all reports: the GPUs, what differs between them and whether a second method shows it too, and their
/// main numbers next to each other. Pure.
[[nodiscard]] std::string render_index(const std::vector<ReportedGpu>& gpus, const PagePlace& place);

/// index.html of one GPU: its pages, its main numbers, and the answer of each probe. Pure.
[[nodiscard]] std::string render_gpu(const ReportedGpu& gpu, const PagePlace& place);

/// What the search of a page finds (assets/search.js): quantities, probes, instructions and opcodes of all pages of a
/// GPU, and the words that mean the same (assets/search.yaml). JSON, packed. One index serves all pages of the GPU:
/// its hrefs are relative to the GPU's folder.
[[nodiscard]] std::string search_index(const ReportedGpu& gpu);

/// The same before it is packed.
[[nodiscard]] std::string search_text(const ReportedGpu& gpu);

/// The same for the page of all GPUs: each hit names its GPU, and instructions have the values of all. Pages are
/// relative to the folder of all reports.
[[nodiscard]] std::string search_text_of_all(const std::vector<ReportedGpu>& gpus);

}  // namespace warpclock
