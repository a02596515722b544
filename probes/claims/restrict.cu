// Which loads ptxas sends through the read-only path, as LDG.CONSTANT.
#define KERNEL extern "C" __global__ void

KERNEL plain(float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
KERNEL only_const(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
KERNEL only_restrict(float* __restrict__ in, float* __restrict__ out) { out[threadIdx.x] = in[threadIdx.x]; }
KERNEL const_restrict(const float* __restrict__ in, float* __restrict__ out) { out[threadIdx.x] = in[threadIdx.x]; }
KERNEL intrinsic(const float* in, float* out) { out[threadIdx.x] = __ldg(in + threadIdx.x); }

struct Arguments {
  const float* __restrict__ in;
  float* __restrict__ out;
};
KERNEL in_a_struct(Arguments all) { all.out[threadIdx.x] = all.in[threadIdx.x]; }

__device__ __noinline__ float element(const float* __restrict__ in) { return in[threadIdx.x]; }
KERNEL in_a_function(const float* __restrict__ in, float* __restrict__ out) { out[threadIdx.x] = element(in); }
