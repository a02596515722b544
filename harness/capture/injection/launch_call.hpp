#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/injection/functions.hpp"

namespace warpclock::injected {

/// What a call of the driver launches.
struct LaunchCall {
  CUfunction function = nullptr;
  std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{0, 0, 0};  ///< cluster 0: what the kernel states
  unsigned shared = 0;
  bool cooperative = false, overlaps = false;  ///< it may begin before the kernel before it has ended
  void** parameters = nullptr;                 ///< one pointer to each
  void** extra = nullptr;                      ///< or all of them in one buffer
  CUstream stream = nullptr;

  [[nodiscard]] unsigned flags() const { return (cooperative ? 1U : 0U) + (overlaps ? 2U : 0U); }
};

/// The bytes of each parameter.
struct LaunchBytes {
  std::vector<std::string> parameters;
  bool known = false;

  /// 0 where it is not known.
  [[nodiscard]] std::uint64_t word(ParameterWord where) const;
};

[[nodiscard]] LaunchBytes bytes_of(const LaunchCall& call, const Function& function);

/// 128 bits that tell launches apart.
struct LaunchKey {
  std::uint64_t a = 0x9e3779b97f4a7c15, b = 0xc2b2ae3d27d4eb4f;

  void add(std::uint64_t word);
  void add(const char* bytes, std::size_t count);
  /// All of a call but its parameters.
  void add(const LaunchCall& call, int function, int device);
  bool operator==(const LaunchKey&) const = default;
};

struct LaunchKeyHash {
  std::size_t operator()(const LaunchKey& key) const { return key.a ^ key.b; }
};

}  // namespace warpclock::injected
