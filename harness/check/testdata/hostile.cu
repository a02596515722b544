// Kernels that do what they must not; each is a failed row, and the last one is measured.

extern "C" __global__ void fault(unsigned* to) { to[1ULL << 45] = threadIdx.x; }

extern "C" __global__ void trap() { asm volatile("trap;"); }

extern "C" __global__ void hang(volatile unsigned* flag) {
  while (*flag == 0) {}
}

extern "C" __global__ void add(unsigned* to) { to[blockIdx.x * 32 + threadIdx.x] += 1; }
