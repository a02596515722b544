// A whole program, as most files are: host code, launches, and headers of the host.
#include <cuda_fp16.h>

#include <cstdio>
#include <iostream>
#include <vector>

template <int Unroll, class T>
__global__ void scale_all(T* data, T by, int n) {
  const int start = (blockIdx.x * blockDim.x + threadIdx.x) * Unroll;
#pragma unroll
  for (int i = 0; i < Unroll; ++i)
    if (start + i < n) data[start + i] *= by;
}

extern "C" __global__ void half_to_float(const __half* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = __half2float(in[i]);
}

static bool failed(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return false;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  return true;
}

int main() {
  constexpr int n = 1 << 20;
  std::vector<float> host(n, 1.0f);
  float* data = nullptr;
  if (failed(cudaMalloc(&data, n * sizeof(float)), "cudaMalloc")) return 1;
  cudaMemcpy(data, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  scale_all<4><<<n / 1024, 256>>>(data, 2.0f, n);
  if (failed(cudaDeviceSynchronize(), "scale_all")) return 1;
  cudaMemcpy(host.data(), data, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::cout << host.front() << "\n";
  cudaFree(data);
}
