// How long it takes until an SM gets the next block while short blocks of a grid end and others take their places on
// all SMs: each block stores the clock reading with which it begins and its SM, and the last block of the grid waits for
// all of these. Of the second half of the grid, whose blocks all take the place of others, fact 0: cycles from one
// beginning to the next on an SM, the mean of all SMs. Fact 1: the fewest blocks that an SM had.
#include "probe.cuh"

struct Begun {
  u32 opened, sm, stored, unused;
};

PROBE {
  constexpr u32 most_sms = 512;
  __shared__ u32 blocks[most_sms], any[most_sms];
  __shared__ int first[most_sms], last[most_sms];
  Window window;
  u32 v = threadIdx.x;
  PASSES {
    window.ready(v);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      UNROLL for (int i = 0; i < 4; ++i) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+r"(v));
    }
    window.wait(v);
    window.close();
  }
  Begun* const all = reinterpret_cast<Begun*>(args.data);
  if (threadIdx.x == 0) {
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %3};" ::"l"(all + blockIdx.x),
                 "r"(static_cast<u32>(window.opened)), "r"(sm()), "r"(1)
                 : "memory");
  }
  if (blockIdx.x + 1 != gridDim.x) return;
  window.report(args);
  for (u32 i = threadIdx.x; i < most_sms; i += blockDim.x) blocks[i] = 0, first[i] = 0x7fffffff, last[i] = -0x7fffffff;
  for (u32 i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
    const volatile u32* const stored = &all[i].stored;
    for (u32 tries = 0; *stored == 0 && tries < 1000000; ++tries) {}
  }
  __syncthreads();
  const u32 half = gridDim.x / 2;
  for (u32 i = half + threadIdx.x; i < gridDim.x; i += blockDim.x) any[all[i].sm % most_sms] = all[i].opened;
  __syncthreads();
  for (u32 i = half + threadIdx.x; i < gridDim.x; i += blockDim.x) {
    const u32 at = all[i].sm % most_sms;
    const int later = static_cast<int>(all[i].opened - any[at]);  // clocks of an SM alone can be compared
    atomicAdd(&blocks[at], 1u), atomicMin(&first[at], later), atomicMax(&last[at], later);
  }
  for (u32 i = threadIdx.x; i < gridDim.x; i += blockDim.x) all[i].stored = 0;
  __syncthreads();
  if (threadIdx.x != 0) return;
  float cycles = 0;
  u32 sms = 0, fewest = ~0u;
  for (u32 i = 0; i < most_sms; ++i) {
    if (blocks[i] < 2) continue;
    cycles += static_cast<float>(last[i] - first[i]) / static_cast<float>(blocks[i] - 1), ++sms;
    fewest = min(fewest, blocks[i]);
  }
  fact(args, 0, static_cast<u32>(sms == 0 ? 0 : cycles / sms + 0.5f));
  fact(args, 1, fewest);
}
