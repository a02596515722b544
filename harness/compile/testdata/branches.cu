// Kernels whose instructions name addresses and symbols: branches both ways, calls, tables, variables.

extern "C" __device__ __noinline__ int thrice(int x) { return x * 3 + 1; }
extern "C" __device__ __noinline__ int fivefold(int x) { return x * 5 + 1; }

__device__ int table[8];
__constant__ int constants[8];

extern "C" __global__ void choose(int* o, int k) {
  switch (k) {
    case 0: o[0] = 7 * clock(); break;
    case 1: o[1] = 9; o[4] = 3; break;
    case 2: o[2] += o[3]; break;
    case 3: o[3] *= o[9]; break;
    case 4: o[4] ^= o[1]; break;
    case 5: __syncthreads(); o[5] = 4; break;
    case 6: o[6] = o[7]; break;
    case 7: o[9] = __popc(o[8]); break;
    case 8: o[10] = 1;
  }
}

extern "C" __global__ void call(int* o, int k) { o[k] = thrice(o[0]) + thrice(o[1]); }

extern "C" __global__ void call_either(int* o, int k) {
  int (*f)(int) = k ? thrice : fivefold;
  o[k] = f(o[0]);
}

extern "C" __global__ void variables(int* o, int k) {
  o[k] = table[k] + constants[k + 1];
  table[1] = 3;
}

extern "C" __global__ void divide(unsigned long long* o, unsigned long long k) { o[k] = o[1] / k; }

extern "C" __global__ void print(int* o) {
  __shared__ int s[4];
  printf("%d\n", o[0]);
  s[threadIdx.x] = o[1];
  __syncthreads();
  o[2] = s[1];
}

extern "C" __global__ void loop(int* o, int k) {
  extern __shared__ int d[];
  for (int i = 0; i < k; ++i) {
    if (o[i] == 3) __trap();
    while (o[i] > d[i]) d[o[i]] += __shfl_xor_sync(~0u, i, 1);
  }
}
