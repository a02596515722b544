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

/// The text of each kernel of a module, in the form that parse_listings() reads. Text before the first kernel is under
/// "".
using KernelTexts = std::map<std::string, std::string>;

/// Reads machine code as nvdisasm prints it, but faster. In similar kernels, nine of ten instructions are the same
/// sixteen bytes as an earlier one, and nvdisasm takes a third of a second to start. So it is asked only once for each
/// distinct word. The text of an instruction is nvdisasm's; only branches name an address instead of a label. Any
/// number of threads may share one object.
class Disassembler {
 public:
  /// The kernels of each image. An error says why nvdisasm must read that image as a whole: "elf", "relocation",
  /// "branch", "nvdisasm", "listing".
  [[nodiscard]] std::vector<Expected<KernelTexts>> read(const std::string& nvdisasm, const Arch& arch,
                                                        const std::vector<std::string_view>& images);

  /// Whether this nvdisasm prints no single instructions of the architecture, so that asking it for more is pointless.
  [[nodiscard]] bool hopeless(const std::string& nvdisasm, const Arch& arch);

 private:
  WordTable& table(const std::string& nvdisasm, const Arch& arch);

  std::mutex mutex_;
  std::map<std::pair<std::string, Arch>, std::unique_ptr<WordTable>> tables_;  ///< by nvdisasm's identity
};

/// The one of this process: a word is asked for once, whatever asks.
[[nodiscard]] Disassembler& common_disassembler();

}  // namespace warpclock
