// Recorded as kernels.cubin and kernels.sass: see load_test.cpp.
extern "C" __global__ void nested(float* p, int n, int m) {
  __shared__ float s[256];
  float acc = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) acc = p[i * m + j] * s[threadIdx.x + j & 255] + acc;
    __syncthreads();
    s[threadIdx.x] = acc;
  }
  p[threadIdx.x] = acc;
}

extern "C" __global__ void __maxnreg__(24) spills(float* p, int n) {
  float v[32];
  for (int i = 0; i < 32; i++) v[i] = p[i * 32 + threadIdx.x];
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 32; i++) v[i] = v[i] * v[(i + 7) % 32] + 1.f;
  for (int i = 0; i < 32; i++) p[i * 32 + threadIdx.x] = v[i];
}

// Two stages: while one tile is multiplied, the next one is copied.
extern "C" __global__ void __launch_bounds__(32) pipeline(const int4* __restrict__ a, float* d, int tiles) {
  __shared__ __align__(16) int4 stage[2][64];
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&stage[0][threadIdx.x]));
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\ncp.async.commit_group;" ::"r"(at), "l"(a + threadIdx.x));
#pragma unroll 1
  for (int tile = 1; tile < tiles; tile++) {
    const unsigned next = at ^ 1024;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\ncp.async.commit_group;" ::"r"(next),
                 "l"(a + tile * 32 + threadIdx.x));
    asm volatile("cp.async.wait_group 1;");
    __syncthreads();
    unsigned a0, a1, a2, a3;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3)
                 : "r"(at));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%4, %5}, {%0, %1, %2, "
        "%3};"
        : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3));
    at = next;
  }
  d[threadIdx.x] = c0 + c1 + c2 + c3;
}

extern "C" __global__ void tail(const float4* __restrict__ in, float4* out, int n) {
#pragma unroll 1
  for (int i = threadIdx.x; i < n; i += 128) {
    float4 v = in[i];
    if (i + 1 < n) v.x += v.y;
    if (v.z > 3) out[i] = v;
  }
}
