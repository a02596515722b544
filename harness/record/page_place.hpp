#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device/device.hpp"

namespace warpclock {

/// A page that another one leads to.
struct PageLink {
  std::string text, href;
  std::string gpu;  ///< as same_gpu() says it of the two
};

/// What a page has to know of the folder that it is in.
struct PagePlace {
  std::string suite;  ///< "full", "memory"; empty where the folder is none of a GPU's
  std::vector<PageLink> links;
};

/// "the same GPU", "another GPU", or "GPU not recorded" where a record has no UUID.
[[nodiscard]] std::string_view same_gpu(const DeviceFacts& a, const DeviceFacts& b);

/// What is in the folder of one GPU, and in those of its further suites, by that folder's name: "" for its own.
struct GpuFolder {
  std::map<std::string, DeviceFacts> results;   ///< folders with a result.json
  std::map<std::string, DeviceFacts> tables;    ///< with an instructions.json
  std::map<std::string, DeviceFacts> machines;  ///< and with a machine.json
};

/// The place of the page of a result, of an instruction table, or of a machine table: it leads to all others of the
/// GPU.
[[nodiscard]] PagePlace place_of_result(const GpuFolder& gpu, const std::string& folder);
[[nodiscard]] PagePlace place_of_table(const GpuFolder& gpu, const std::string& folder);
[[nodiscard]] PagePlace place_of_machine(const GpuFolder& gpu, const std::string& folder);

/// "memory (the same GPU), instructions (another GPU)", or empty.
[[nodiscard]] std::string pages_in_words(const PagePlace& place);

/// How the board is called, and how its clocks are set: "persistence on, power limit 700 W". Empty where nothing is
/// known.
[[nodiscard]] std::string board_in_words(const DeviceFacts& device);
[[nodiscard]] std::string clocks_in_words(const DeviceFacts& device);

}  // namespace warpclock
