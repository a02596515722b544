#pragma once

// Scores stay in registers: the sums of mma.m16n8k16 for two groups of eight keys are, as halves, its operand A for
// these 16 keys. So the output is also in the order of the next queries.

#include "tensor.cuh"

struct Queries {
  u32 of[head / 16][4];
  u32 lane;

  __device__ Queries(char*, u32, u32 lane_) : lane(lane_) {}

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

  __device__ void attend(const u16* keys, const u16* values) {
    float scores[tile / 8][4] = {}, sums[2];
    UNROLL for (u32 k = 0; k < head / 16; ++k) UNROLL for (u32 j = 0; j < tile / 16; ++j) {
      u32 b[4];
      load_matrices(b, keys + (j * 16 + lane % 8 + lane / 16 * 8) * pitch + k * 16 + lane / 8 % 2 * 8);
      multiply(scores[2 * j], of[k], b[0], b[1]);
      multiply(scores[2 * j + 1], of[k], b[2], b[3]);
    }
    exponentials(scores, sums);
    float o[head / 8][4] = {};
    UNROLL for (u32 k = 0; k < tile / 16; ++k) {
      u32 a[4];
      to_operand(a, scores[2 * k], scores[2 * k + 1], 1, 1);
      UNROLL for (u32 j = 0; j < head / 16; ++j) {
        u32 b[4];
        load_transposed(b, values + (k * 16 + lane % 16) * pitch + j * 16 + lane / 16 * 8);
        multiply(o[2 * j], a, b[0], b[1]);
        multiply(o[2 * j + 1], a, b[2], b[3]);
      }
    }
    const float above = reciprocal(sums[0]), below = reciprocal(sums[1]);
    UNROLL for (u32 k = 0; k < head / 16; ++k) to_operand(of[k], o[2 * k], o[2 * k + 1], above, below);
  }

  // A lane has two columns of each group of eight, in two rows; four lanes share a row.
  __device__ static void exponentials(float (&scores)[tile / 8][4], float (&sums)[2]) {
    UNROLL for (u32 row = 0; row < 2; ++row) {
      float most = scores[0][2 * row];
      UNROLL for (u32 j = 0; j < tile / 8; ++j) most = fmaxf(most, fmaxf(scores[j][2 * row], scores[j][2 * row + 1]));
      UNROLL for (int d = 1; d < 4; d *= 2) most = fmaxf(most, __shfl_xor_sync(all_lanes, most, d));
      sums[row] = 0;
      UNROLL for (u32 j = 0; j < tile / 8; ++j) UNROLL for (u32 i = 2 * row; i < 2 * row + 2; ++i) {
        scores[j][i] = exp2_fast(fmaf(scores[j][i], to_exponent, -most * to_exponent));
        sums[row] += scores[j][i];
      }
      UNROLL for (int d = 1; d < 4; d *= 2) sums[row] += __shfl_xor_sync(all_lanes, sums[row], d);
    }
  }

  __device__ static void to_operand(u32 (&a)[4], const float (&left)[4], const float (&right)[4], float above,
                                    float below) {
    a[0] = to_halves(left[0] * above, left[1] * above), a[1] = to_halves(left[2] * below, left[3] * below);
    a[2] = to_halves(right[0] * above, right[1] * above), a[3] = to_halves(right[2] * below, right[3] * below);
  }
};
