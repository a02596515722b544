#pragma once

// Rows of a head as operands A of 16 x 16 halves, whose order is that of mma.m16n8k16 and, for each warp, that of
// wgmma.m64nNk16. The sums of both for two groups of eight columns are, as halves, the operand A for these 16 columns.

#include "tensor.cuh"

constexpr u32 head = 64;
constexpr float to_exponent = 0.1803369F;  // log2(e) over the root of the head

struct HeadRows {
  u32 of[head / 16][4];
  u32 lane;

  // The first of this lane's two halves in the rows that an operand A begins with.
  __device__ u32 place(u32 k) const { return lane / 4 * head + k * 16 + lane % 4 * 2; }

  __device__ void load(const u16* from) {
    UNROLL for (u32 k = 0; k < head / 16; ++k) UNROLL for (u32 i = 0; i < 4; ++i) of[k][i] =
        *reinterpret_cast<const u32*>(from + place(k) + i % 2 * 8 * head + i / 2 * 8);
  }

  __device__ void store(u16* to) const {
    UNROLL for (u32 k = 0; k < head / 16; ++k) UNROLL for (u32 i = 0; i < 4; ++i) {
      u16* const at = to + place(k) + i % 2 * 8 * head + i / 2 * 8;
      *reinterpret_cast<u32*>(at) = of[k][i];
    }
  }
};

__device__ inline void to_operand(u32 (&a)[4], const float (&left)[4], const float (&right)[4], float above,
                                  float below) {
  a[0] = to_halves(left[0] * above, left[1] * above), a[1] = to_halves(left[2] * below, left[3] * below);
  a[2] = to_halves(right[0] * above, right[1] * above), a[3] = to_halves(right[2] * below, right[3] * below);
}

// A lane has two columns of each group of eight sums, in two rows; four lanes share a row.
template <class F>
__device__ inline float across_row(float v, F combine) {
  UNROLL for (int d = 1; d < 4; d *= 2) v = combine(v, __shfl_xor_sync(all_lanes, v, d));
  return v;
}

__device__ inline float row_sum(float v) {
  return across_row(v, [](float a, float b) { return a + b; });
}

__device__ inline float row_max(float v) {
  return across_row(v, [](float a, float b) { return fmaxf(a, b); });
}
