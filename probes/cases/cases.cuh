#pragma once

// Helpers of the kernels in this folder. They have arguments of their own and no clock reads; configs/cases.yaml says
// how they are launched.

using u16 = unsigned short;
using u32 = unsigned;
using u64 = unsigned long long;

#define CASE extern "C" __global__ void
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")

constexpr u32 all_lanes = 0xffffffff;

__device__ inline u32 shared_address(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }

template <class T, class F>
__device__ inline T across_warp(T v, F combine) {
  UNROLL for (int distance = 16; distance > 0; distance /= 2) v = combine(v, __shfl_xor_sync(all_lanes, v, distance));
  return v;
}

__device__ inline float warp_sum(float v) {
  return across_warp(v, [](float a, float b) { return a + b; });
}

__device__ inline float warp_max(float v) {
  return across_warp(v, [](float a, float b) { return fmaxf(a, b); });
}

__device__ inline float exp2_fast(float v) {
  asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(v));
  return v;
}

__device__ inline float reciprocal(float v) {
  asm("rcp.approx.ftz.f32 %0, %0;" : "+f"(v));
  return v;
}
