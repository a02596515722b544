#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace warpclock::testing {

/// Breaks a text in a few places: pieces are removed, doubled, or replaced by one of `words`; bytes change; the end is
/// cut off.
class Mutator {
 public:
  Mutator(std::span<const std::string_view> words, unsigned seed) : words_(words), random_(seed) {}

  std::string mutate(std::string text) {
    const std::size_t changes = 1 + below(4);
    for (std::size_t i = 0; i < changes; ++i) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }

  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(below(24), text.size() - at);
    switch (below(6)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, words_[below(words_.size())]);
        break;
      case 2:
        text.replace(at, length, words_[below(words_.size())]);
        break;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 4:
        text.insert(below(text.size() + 1), text.substr(at, below(80)));
        break;
      default:
        if (below(8) == 0) text.resize(at);
        break;
    }
  }

  std::span<const std::string_view> words_;
  std::mt19937 random_;
};

}  // namespace warpclock::testing
