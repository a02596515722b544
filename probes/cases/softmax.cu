// The softmax of rows of COLUMNS floats, a row by a warp, which keeps it in registers; ROUNDS times.
#include "cases.cuh"

constexpr u32 lanes = 32, vectors = COLUMNS / (4 * lanes);
constexpr float log2_e = 1.4426950408889634F;

CASE softmax(const float4* __restrict__ in, float4* __restrict__ out) {
  const u32 row = (blockIdx.x * blockDim.x + threadIdx.x) / lanes, lane = threadIdx.x % lanes;
  const u32 first = row * vectors * lanes + lane;
  float v[vectors][4];
  UNROLL for (u32 i = 0; i < vectors; ++i) {
    const float4 four = in[first + i * lanes];
    v[i][0] = four.x, v[i][1] = four.y, v[i][2] = four.z, v[i][3] = four.w;
  }
  ROLLED for (int round = 0; round < ROUNDS; ++round) {
    float most = v[0][0];
    UNROLL for (u32 i = 0; i < vectors; ++i) UNROLL for (int k = 0; k < 4; ++k) most = fmaxf(most, v[i][k]);
    const float less = warp_max(most) * log2_e;
    float total = 0;
    UNROLL for (u32 i = 0; i < vectors; ++i) UNROLL for (int k = 0; k < 4; ++k) {
      v[i][k] = exp2_fast(fmaf(v[i][k], log2_e, -less));
      total += v[i][k];
    }
    const float scale = reciprocal(warp_sum(total));
    UNROLL for (u32 i = 0; i < vectors; ++i) UNROLL for (int k = 0; k < 4; ++k) v[i][k] *= scale;
  }
  UNROLL for (u32 i = 0; i < vectors; ++i) out[first + i * lanes] = make_float4(v[i][0], v[i][1], v[i][2], v[i][3]);
}
