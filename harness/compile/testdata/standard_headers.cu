// Headers of C and of the C++ library, as device code uses them.
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
__device__ T larger(T a, T b) {
  return std::max(a, b);
}

template <class T>
__global__ void scale(T* p, std::size_t n, std::uint32_t shift) {
  const std::array<T, 2> factors{T(2), std::numeric_limits<T>::epsilon()};
  const auto [first, second] = std::make_pair(factors[0], factors[1]);
  const std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(n > shift);
  if (i >= n) return;
  p[i] = larger(std::sqrt(p[i]) * first, second);
  uint64_t bits = 0;
  std::memcpy(&bits, &p[i], sizeof(T));
  if (bits == UINT64_MAX) printf("%d\n", int(std::get<1>(std::make_tuple(1, 2))));
}

template __global__ void scale<float>(float*, std::size_t, std::uint32_t);
