// Recorded as tiles.sass: see streams_test.cpp. Jumps of both depend on what one warp leaves for others in shared memory.
using u32 = unsigned;

__device__ inline u32 place(const void* shared) { return static_cast<u32>(__cvta_generic_to_shared(shared)); }

__device__ inline void initialize(const void* barrier, u32 arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place(barrier)), "r"(arrivals) : "memory");
}

__device__ inline void arrive(const void* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place(barrier)) : "memory");
}

__device__ inline void await(const void* barrier, u32 parity) {
  asm volatile(
      "{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }" ::"r"(
          place(barrier)),
      "r"(parity)
      : "memory");
}

// A block for each SM. The last warp says which tile is next, and four others add to the numbers of each tile.
extern "C" __global__ void __launch_bounds__(160) tiles(float* numbers, int count, int trips) {
  __shared__ unsigned long long said, taken;
  __shared__ int next;
  if (threadIdx.x == 0) initialize(&said, 1), initialize(&taken, 4);
  __syncthreads();
  u32 parity = 0;
  if (threadIdx.x >= 128) {
    if (threadIdx.x != 128) return;
    for (int tile = blockIdx.x;; tile += gridDim.x, parity ^= 1) {
      await(&taken, parity ^ 1);
      next = tile < count ? tile : -1;
      arrive(&said);
      if (tile >= count) return;
    }
  }
  for (;; parity ^= 1) {
    await(&said, parity);
    const int tile = next;
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&taken);
    if (tile < 0) return;
    float number = numbers[tile * 128 + threadIdx.x];
#pragma unroll 1
    for (int i = 0; i < trips; ++i) number = number * number + 1.f;
    numbers[tile * 128 + threadIdx.x] = number;
  }
}

// A warp brings pieces of 4 KiB to a ring of four buffers by bulk copies, four others add their words. The word before
// each mbarrier says whether the piece is the last.
extern "C" __global__ void __launch_bounds__(160) ring(const uint4* from, u32* sums, int pieces) {
  __shared__ __align__(128) uint4 buffers[4][256];
  __shared__ unsigned long long full[4], empty[4];
  __shared__ int last[4];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 4; ++i) initialize(full + i, 1), initialize(empty + i, 4);
    asm volatile("fence.proxy.async;" ::: "memory");
  }
  __syncthreads();
  u32 at = 0, parity = 0;
  if (threadIdx.x >= 128) {
    if (threadIdx.x != 128) return;
#pragma unroll 1
    for (int piece = 0; piece < pieces; ++piece) {
      await(empty + at, parity ^ 1);
      last[at] = piece + 1 == pieces;
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" ::"r"(place(full + at)) : "memory");
      asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(
                       place(buffers[at])),
                   "l"(from + (blockIdx.x * pieces + piece) * 256), "r"(place(full + at))
                   : "memory");
      at = (at + 1) % 4, parity ^= at == 0;
    }
    return;
  }
  u32 sum = 0;
#pragma unroll 1
  for (bool more = true; more; at = (at + 1) % 4, parity ^= at == 0) {
    await(full + at, parity);
    for (int i = 0; i < 2; ++i) {
      const uint4 words = buffers[at][threadIdx.x + 128 * i];
      sum += words.x + words.y + words.z + words.w;
    }
    more = last[at] == 0;
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(empty + at);
  }
  sums[blockIdx.x * 128 + threadIdx.x] = sum;
}
