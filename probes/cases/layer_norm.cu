// Layer normalization of rows of COLUMNS floats, a row by a warp, which keeps it in registers; ROUNDS times.
#include "cases.cuh"

constexpr u32 lanes = 32, vectors = COLUMNS / (4 * lanes);
constexpr float epsilon = 1e-5F;

CASE layer_norm(const float4* __restrict__ in, const float4* __restrict__ gain, const float4* __restrict__ bias,
                float4* __restrict__ out) {
  const u32 row = (blockIdx.x * blockDim.x + threadIdx.x) / lanes, lane = threadIdx.x % lanes;
  const u32 first = row * vectors * lanes + lane;
  float v[vectors][4];
  UNROLL for (u32 i = 0; i < vectors; ++i) {
    const float4 four = in[first + i * lanes];
    v[i][0] = four.x, v[i][1] = four.y, v[i][2] = four.z, v[i][3] = four.w;
  }
  ROLLED for (int round = 0; round < ROUNDS; ++round) {
    float total = 0;
    UNROLL for (u32 i = 0; i < vectors; ++i) UNROLL for (int k = 0; k < 4; ++k) total += v[i][k];
    const float mean = warp_sum(total) * (1.0F / COLUMNS);
    float squares = 0;
    UNROLL for (u32 i = 0; i < vectors; ++i) UNROLL for (int k = 0; k < 4; ++k) {
      v[i][k] -= mean;
      squares = fmaf(v[i][k], v[i][k], squares);
    }
    float scale = warp_sum(squares) * (1.0F / COLUMNS) + epsilon;
    asm("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(scale));
    UNROLL for (u32 i = 0; i < vectors; ++i) UNROLL for (int k = 0; k < 4; ++k) v[i][k] *= scale;
  }
  UNROLL for (u32 i = 0; i < vectors; ++i) {
    const float4 g = gain[i * lanes + lane], b = bias[i * lanes + lane];
    out[first + i * lanes] =
        make_float4(fmaf(v[i][0], g.x, b.x), fmaf(v[i][1], g.y, b.y), fmaf(v[i][2], g.z, b.z), fmaf(v[i][3], g.w, b.w));
  }
}
