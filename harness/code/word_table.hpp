#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "code/word.hpp"

namespace warpclock {

/// The texts of all words of one architecture that were ever asked for. Threads share it; few of them at a time have
/// the disassembler run, each for all that wait.
class WordTable {
 public:
  /// What the disassembler prints for machine code that starts at an address.
  using Print = std::function<Expected<std::string>(std::uint64_t base, const std::string& code)>;

  explicit WordTable(Print print, unsigned most_runs = 1) : print_(std::move(print)), most_runs_(most_runs) {}

  /// Makes the words of each request known. Each fails by itself: with the disassembler's error, or "listing" where a
  /// word is printed in a way that says nothing of what it is at another address.
  [[nodiscard]] std::vector<Expected<void>> learn(const std::vector<std::vector<Word>>& requests);

  /// The texts of words that are known. They stay where they are as long as the table.
  [[nodiscard]] std::vector<const WordText*> texts(std::span<const Word> words) const;

  /// Whether the disassembler printed nothing yet although it was asked to.
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
  const unsigned most_runs_;  ///< of the disassembler at a time
  unsigned runs_ = 0;
  bool hopeless_ = false;
};

}  // namespace warpclock
