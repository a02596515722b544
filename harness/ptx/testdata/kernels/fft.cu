// Butterflies with exact and approximate sines, a slow path with local memory, divisions and roots.
extern "C" __global__ void fft(float2* data, const float2* __restrict__ twiddles, float* norm, int n) {
  extern __shared__ float2 stage[];
  const int i = threadIdx.x;
  stage[i] = data[blockIdx.x * blockDim.x + i];
  __syncthreads();
  for (int half = 1; half < n; half *= 2) {
    const int at = i % half + 2 * half * (i / half);
    float s, c;
    sincosf(-3.14159265f * static_cast<float>(i % half) / static_cast<float>(half), &s, &c);
    const float2 w = __ldg(twiddles + at), x = stage[at], y = stage[at + half];
    const float2 t = make_float2(y.x * c - y.y * s + w.x, y.x * s + y.y * c + w.y);
    __syncthreads();
    stage[at] = make_float2(x.x + t.x, x.y + t.y);
    stage[at + half] = make_float2(x.x - t.x, x.y - t.y);
    __syncthreads();
  }
  const float2 z = stage[i];
  norm[i] = sqrtf(z.x * z.x + z.y * z.y) + __sinf(z.x) * __cosf(z.y) + rsqrtf(fabsf(z.x)) + logf(fabsf(z.y)) +
            exp2f(z.x) + powf(fabsf(z.x), z.y) + __fdividef(z.x, z.y) + atan2f(z.x, z.y) + floorf(z.x) + rintf(z.y) +
            fminf(z.x, z.y) + fmaxf(z.x, copysignf(1.0f, z.y)) + __frcp_rn(z.y) + tanhf(z.x) + __saturatef(z.x);
  data[blockIdx.x * blockDim.x + i] = z;
}
