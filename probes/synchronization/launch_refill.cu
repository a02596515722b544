// How long it takes until an SM gets the next block while the blocks of a grid end and others take their places on all
// SMs: each block notes the clock reading with which it begins, the first and the last one of each SM. Fact 0: cycles
// from one beginning to the next on an SM, the mean of all SMs. Fact 1: the fewest blocks that an SM had.
#include "probe.cuh"

struct alignas(128) Begun {
  unsigned long long blocks, last, first;  // first: its complement, because memory begins with zeros
};

PROBE {
  Window window;
  u32 v = threadIdx.x;
  PASSES {
    window.ready(v);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      UNROLL for (int i = 0; i < 16; ++i) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+r"(v));
    }
    window.wait(v);
    window.close();
  }
  if (threadIdx.x != 0) return;
  // Each SM has a line of its own: all blocks would wait for each other at one counter.
  Begun* const all = reinterpret_cast<Begun*>(args.data);
  Begun* const mine = all + sm();
  atomicMax(&mine->last, static_cast<unsigned long long>(window.opened));
  atomicMax(&mine->first, ~static_cast<unsigned long long>(window.opened));
  __threadfence();
  atomicAdd(&mine->blocks, 1ull);
  if (blockIdx.x + 1 != gridDim.x) return;
  window.report(args);
  u32 all_sms, sms = 0, fewest = ~0u;
  asm("mov.u32 %0, %%nsmid;" : "=r"(all_sms));
  unsigned long long ended = 0;
  for (u32 tries = 0; ended != gridDim.x && tries < 100000; ++tries) {
    ended = 0;
    for (u32 i = 0; i < all_sms; ++i) ended += *static_cast<volatile unsigned long long*>(&all[i].blocks);
  }
  double cycles = 0;
  for (u32 i = 0; i < all_sms; ++i) {
    volatile Begun* const one = all + i;
    const unsigned long long blocks = one->blocks, took = one->last - ~one->first;
    if (blocks > 1) cycles += static_cast<double>(took) / static_cast<double>(blocks - 1), ++sms;
    if (blocks > 0) fewest = min(fewest, static_cast<u32>(blocks));
    one->blocks = one->last = one->first = 0;
  }
  fact(args, 0, static_cast<u32>(sms == 0 ? 0 : cycles / sms + 0.5));
  fact(args, 1, fewest);
}
