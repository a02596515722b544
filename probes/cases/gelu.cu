// GELU of 4 floats a thread, ROUNDS times, by tanh.approx or by the logistic function (exp2 and a reciprocal).
#include "cases.cuh"

__device__ inline float gelu(float x) {
  constexpr float slope = 0.7978845608028654F, cubic = 0.044715F * slope;
  const float inner = x * fmaf(cubic * x, x, slope);
#if FORM_tanh
  float t = inner;
  asm("tanh.approx.f32 %0, %0;" : "+f"(t));
  return 0.5F * x * (1 + t);
#else
  constexpr float twice_log2_e = 2 * 1.4426950408889634F;
  return x * reciprocal(1 + exp2_fast(-twice_log2_e * inner));
#endif
}

CASE apply_gelu(const float4* __restrict__ in, float4* __restrict__ out) {
  const u32 at = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = in[at];
  ROLLED for (int round = 0; round < ROUNDS; ++round) {
    v.x = gelu(v.x);
    v.y = gelu(v.y);
    v.z = gelu(v.z);
    v.w = gelu(v.w);
  }
  out[at] = v;
}
