#pragma once

#include <cstdint>

namespace warpclock {

/// The same numbers on each machine: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators").
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27U) * 0x94d049bb133111eb;
    return z ^ z >> 31U;
  }

 private:
  std::uint64_t state_;
};

}  // namespace warpclock
