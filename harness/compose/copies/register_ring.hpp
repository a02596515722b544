#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace warpclock {

/// Gives out registers in turn.
class RegisterRing {
 public:
  explicit RegisterRing(std::vector<int> registers) : registers_(std::move(registers)) {}

  /// The first of `count` registers in a row, which is `rest` modulo `align`; nothing if there are none.
  std::optional<int> take(int count, int align, int rest) {
    for (std::size_t tried = 0; tried < registers_.size(); ++tried) {
      const std::size_t at = (next_ + tried) % registers_.size();
      if (registers_[at] % align != rest % align || !is_row(at, count)) continue;
      next_ = at + static_cast<std::size_t>(count);
      return registers_[at];
    }
    return std::nullopt;
  }

  /// Never gives these registers out again.
  void remove(int first, int count) {
    std::erase_if(registers_, [&](int one) { return one >= first && one < first + count; });
    next_ = 0;
  }

 private:
  [[nodiscard]] bool is_row(std::size_t at, int count) const {
    const std::size_t last = at + static_cast<std::size_t>(count) - 1;
    return last < registers_.size() && registers_[last] == registers_[at] + count - 1;
  }

  std::vector<int> registers_;
  std::size_t next_ = 0;
};

}  // namespace warpclock
