#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu/device/device.hpp"
#include "record/json/record_file.hpp"

namespace warpclock {

/// A link to a page of the same GPU.
struct PageLink {
  std::string text, href;
  std::string gpu;    ///< the result of same_gpu() for the two pages
  bool here = false;  ///< the page links to itself
};

/// What a page must know about its folder.
struct PagePlace {
  std::string suite;            ///< "full", "memory"; empty if the folder is not one of a GPU
  std::vector<PageLink> links;  ///< all pages of the GPU in one order, this one too
  std::string gpu;              ///< href of the page of the GPU; empty if there is none
  std::string all;              ///< href of the page of all GPUs; empty if there is none
  std::string gpu_name;         ///< "NVIDIA H200"
  std::string search;           ///< the index of the GPU's pages (answer/overview/search_index.hpp), packed, or empty
  std::string to_gpu;           ///< path to the GPU's folder, "" or "../": before the hrefs of the index
};

/// The records in one GPU's folder and in the folders of its other suites, by kind and folder name; "" is the GPU's own
/// folder.
using GpuFolder = std::map<RecordFile, std::map<std::string, DeviceFacts>>;

/// The place of the page of a record, without index and pages above.
[[nodiscard]] PagePlace place_of(const GpuFolder& gpu, RecordFile kind, const std::string& folder);

/// The place of the overview of the GPU, which is in its own folder.
[[nodiscard]] PagePlace place_of_overview(const GpuFolder& gpu, const std::string& gpu_name);

/// "memory (the same GPU), instructions (another GPU)", or empty.
[[nodiscard]] std::string pages_in_words(const PagePlace& place);

}  // namespace warpclock
