// Byte counts in shared memory, merged with atomics; compare-and-swap, minimum, maximum and exchange besides.
extern "C" __global__ void histogram(const uchar4* in, unsigned* bins, unsigned long long* total, double* sum, int n) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uchar4 four = in[i];
    atomicAdd(local + four.x, 1u);
    atomicAdd(local + four.y, 1u);
    atomicInc(local + four.z, 255u);
    local[four.w] = atomicMax(local + (four.w ^ 1), 7u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(bins + i, local[i]);
  atomicAdd(total, static_cast<unsigned long long>(local[threadIdx.x & 255]));
  atomicAdd(sum, static_cast<double>(local[0]));
  unsigned long long seen = *total, wanted;
  do {
    wanted = seen;
    seen = atomicCAS(total + 1, wanted, wanted * 3 + 1);
  } while (seen != wanted);
  bins[256] = atomicExch(bins + 257, 5u) + atomicMin(reinterpret_cast<int*>(bins) + 258, -3) + atomicOr(bins + 259, 9u);
  bins[260] = atomicSub(bins + 261, 2u) + atomicAnd(bins + 262, 6u) + atomicXor(bins + 263, local[1]);
}
