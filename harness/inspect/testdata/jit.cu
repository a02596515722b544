// Recorded as jit_ptxas.cubin and jit_driver.cubin: see jit_test.cpp. Kernels differ by the architecture of the PTX.
#if __CUDA_ARCH__ >= 900
#define LATER 1
#define FEW_REGISTERS __maxnreg__(24)
#else
#define LATER 0
#define FEW_REGISTERS
#endif

extern "C" __global__ void same(const float* in, float* out, float by) { out[threadIdx.x] = in[threadIdx.x] * by; }

// ptxas gives relocatable code other scoreboards.
extern "C" __global__ void control(const unsigned* in, unsigned* out) {
  const unsigned sum = __reduce_add_sync(~0u, in[threadIdx.x]);
  if (threadIdx.x == 0) *out = sum;
}

extern "C" __global__ void operands(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] * (LATER ? 3.f : 5.f);
}

extern "C" __global__ void FEW_REGISTERS spills(float* p) {
  float v[24];
  for (int i = 0; i < 24; i++) v[i] = p[i * 32 + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 24; i++) p[i * 32 + threadIdx.x] = v[23 - i];
}

#if LATER
extern "C" __global__ void later(unsigned* out) { out[threadIdx.x] = clock(); }
#else
extern "C" __global__ void earlier(unsigned* out) { out[threadIdx.x] = clock(); }
#endif
