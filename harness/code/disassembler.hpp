#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "code/word_table.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// The text of each kernel of a module, as parse_listings reads it; what stands before the first one is under "".
using KernelTexts = std::map<std::string, std::string>;

/// Machine code as nvdisasm prints it, at less cost: of ten instructions of kernels that are much alike nine are the
/// same sixteen bytes as an earlier one, and nvdisasm, which takes a third of a second to start, is asked for each only
/// once. What is said of an instruction is what it says; only branches name an address in the place of a label. Any
/// number of threads share one.
class Disassembler {
 public:
  /// For each image its kernels. An error says why nvdisasm has to read that image as a whole: "elf", "relocation",
  /// "branch", "nvdisasm", "listing".
  [[nodiscard]] std::vector<Expected<KernelTexts>> read(const std::string& nvdisasm, const Arch& arch,
                                                        const std::vector<std::string_view>& images);

  /// Whether there is no sense in asking this nvdisasm for single instructions of the architecture.
  [[nodiscard]] bool hopeless(const std::string& nvdisasm, const Arch& arch);

 private:
  WordTable& table(const std::string& nvdisasm, const Arch& arch);

  std::mutex mutex_;
  std::map<std::pair<std::string, Arch>, std::unique_ptr<WordTable>> tables_;  ///< by what tells one nvdisasm apart
};

}  // namespace warpclock
