// C = A B of f16 with sums in f32, an element by each thread of blocks of 16 x 16 or 32 x 8. A is M x DEPTH, B is
// DEPTH x N and C is M x N, all by rows.
#include <cuda_fp16.h>

#include "cases.cuh"

CASE hgemm_naive(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ c) {
  const u32 row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 columns = gridDim.x * blockDim.x;
  float sum = 0;
  for (u32 k = 0; k < DEPTH; ++k) sum += __half2float(a[row * DEPTH + k]) * __half2float(b[k * columns + column]);
  c[row * columns + column] = sum;
}
