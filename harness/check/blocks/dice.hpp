#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace warpclock {

/// Random choices that are the same on every machine: the distributions of the standard library are not.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t index) {
    constexpr unsigned half = 32;
    std::seed_seq words{seed, seed >> half, index, index >> half};
    engine_.seed(words);
  }

  std::size_t below(std::size_t end) { return engine_() % end; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
  }
  bool one_in(std::size_t count) { return below(count) == 0; }

  template <class All>
  const auto& pick(const All& all) {
    return all[below(all.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace warpclock
