// Which conditions ptxas makes guards of instructions, and which jumps.
#define KERNEL extern "C" __global__ void

KERNEL ternary(const int* __restrict__ in, int* __restrict__ out) {
  const int v = in[threadIdx.x];
  out[threadIdx.x] = v > 0 ? v * 3 : v + 7;
}

KERNEL both_sides(const float* __restrict__ in, float* __restrict__ out) {
  float v = in[threadIdx.x];
  if (v > 0) {
    v = v * 2 + 1;
    v = v * v;
  } else {
    v = v * 3 - 1;
    v = v * v * v;
  }
  out[threadIdx.x] = v;
}

template <int Steps>
__device__ void steps(const float* __restrict__ in, float* __restrict__ out) {
  float v = in[threadIdx.x];
  if (v > 0) {
#pragma unroll
    for (int i = 0; i < Steps; ++i) v = v * 2.5F + 1.25F;
  }
  out[threadIdx.x] = v;
}
KERNEL seven_steps(const float* __restrict__ in, float* __restrict__ out) { steps<7>(in, out); }
KERNEL eight_steps(const float* __restrict__ in, float* __restrict__ out) { steps<8>(in, out); }

KERNEL load(const int* __restrict__ in, int* __restrict__ out) {
  int v = in[threadIdx.x];
  if (v > 0) v = in[v];
  out[threadIdx.x] = v;
}
