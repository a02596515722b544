#pragma once

// Scores stay in registers, so the output is also in the order of the next queries.

#include "attention_rows.cuh"

struct Queries : HeadRows {
  __device__ Queries(char*, u32, u32 lane_) { lane = lane_; }

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

  __device__ static void exponentials(float (&scores)[tile / 8][4], float (&sums)[2]) {
    UNROLL for (u32 row = 0; row < 2; ++row) {
      float most = scores[0][2 * row];
      UNROLL for (u32 j = 0; j < tile / 8; ++j) most = fmaxf(most, fmaxf(scores[j][2 * row], scores[j][2 * row + 1]));
      most = row_max(most);
      sums[row] = 0;
      UNROLL for (u32 j = 0; j < tile / 8; ++j) UNROLL for (u32 i = 2 * row; i < 2 * row + 2; ++i) {
        scores[j][i] = exp2_fast(fmaf(scores[j][i], to_exponent, -most * to_exponent));
        sums[row] += scores[j][i];
      }
      sums[row] = row_sum(sums[row]);
    }
  }
};
