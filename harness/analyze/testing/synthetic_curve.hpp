#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "analyze/curve/curve.hpp"

namespace warpclock {

constexpr double kib = 1024, mib = 1024 * kib, gib = 1024 * mib;

/// A memory hierarchy with known capacities, for tests. It gives latency over the footprint of a random walk.
struct Hierarchy {
  std::vector<double> capacities;   ///< bytes
  std::vector<double> latencies;    ///< one more than capacities
  bool random_replacement = false;  ///< if false, LRU: all hits up to the capacity, all misses beyond
  double drift = 0;                 ///< relative change per octave

  [[nodiscard]] double at(double footprint) const {
    double value = latencies[0];
    for (std::size_t i = 0; i < capacities.size(); ++i) {
      if (footprint <= capacities[i]) continue;
      const double misses = random_replacement ? 1 - capacities[i] / footprint : 1;
      value += (latencies[i + 1] - latencies[i]) * misses;
    }
    return value * (1 + drift * std::log2(footprint / kib));
  }
};

/// Multiples of a line, evenly spaced in octaves, including both ends.
inline std::vector<double> footprints(double from, double to, int per_octave) {
  std::vector<double> out;
  for (int i = 0; out.empty() || out.back() < to; ++i)
    out.push_back(std::round(from * std::exp2(double(i) / per_octave) / 128) * 128);
  return out;
}

template <typename Value>
Curve measured(const std::vector<double>& axis, double noise, std::mt19937_64& random, const Value& value) {
  Curve curve{"footprint", "B", "latency", "cycles", {}};
  std::normal_distribution<double> normal;
  for (const double at : axis) curve.points.push_back({at, value(at) * std::exp(noise * normal(random))});
  return curve;
}

}  // namespace warpclock
