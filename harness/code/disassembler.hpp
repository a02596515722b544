#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "code/word.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// The texts of all words of one architecture that were ever requested. Threads share the table. At most most_runs_ of
/// them run the disassembler at a time, each for all threads that wait.
class WordTable {
 public:
  /// Returns the disassembler's output for machine code that starts at an address.
  using Print = std::function<Expected<std::string>(std::uint64_t base, const std::string& code)>;

  explicit WordTable(Print print, unsigned most_runs = 1) : print_(std::move(print)), most_runs_(most_runs) {}

  /// Makes the words of each request known. A request fails alone: with the disassembler's error, or with "listing" if
  /// the text of a word does not determine its text at another address.
  [[nodiscard]] std::vector<Expected<void>> learn(const std::vector<std::vector<Word>>& requests);

  /// The texts of known words. The pointers stay valid as long as the table.
  [[nodiscard]] std::vector<const WordText*> texts(std::span<const Word> words) const;

  /// Whether the disassembler was run but has printed nothing so far.
  [[nodiscard]] bool hopeless() const;

 private:
  struct Hash {
    std::size_t operator()(const Word& word) const { return word.low ^ (word.high * 0x9e3779b97f4a7c15); }
  };
  using Texts = std::unordered_map<Word, WordText, Hash>;
  struct Wish {
    std::vector<Word> words;
    bool done = false;
    Expected<void> answer;
  };

  [[nodiscard]] Expected<Texts> decode(std::span<const Word> words) const;
  [[nodiscard]] Expected<Texts> decode_all(const std::vector<Word>& words) const;
  [[nodiscard]] bool reads_any(const std::vector<Word>& words) const;
  void serve(const std::vector<Wish*>& wishes);

  const Print print_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Texts texts_;
  std::vector<Wish*> waiting_;
  const unsigned most_runs_;  ///< disassembler runs at a time
  unsigned runs_ = 0;
  bool hopeless_ = false;
};

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
