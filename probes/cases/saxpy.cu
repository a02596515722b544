// y = a x + y, ITEMS times 256 vectors of WORDS floats a block.
#include "cases.cuh"

constexpr u32 threads = 256;

struct alignas(4 * WORDS) Vector {
  float of[WORDS];
};

CASE saxpy(const Vector* __restrict__ x, Vector* __restrict__ y, float a) {
  const u32 first = blockIdx.x * threads * ITEMS + threadIdx.x;
  ROLLED for (u32 i = 0; i < ITEMS; ++i) {
    const Vector add = x[first + i * threads];
    Vector v = y[first + i * threads];
    UNROLL for (int k = 0; k < WORDS; ++k) v.of[k] = fmaf(a, add.of[k], v.of[k]);
    y[first + i * threads] = v;
  }
}
