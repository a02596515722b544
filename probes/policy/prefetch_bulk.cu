// BYTES that only DRAM holds, in a page whose translation is warm, prefetched into L2 by one cp.async.bulk.prefetch,
// and args.at cycles later one load of the last line of them; every launch pairs the SMs with other bytes. The window
// holds the load alone; the distance is a chain of FFMAs of 4 cycles each (their encoded stall, shown by the
// instruction probes), 64 to a trip.
#include "probe.cuh"

PROBE {
  Window window;
  __shared__ float start;
  const float a = __uint_as_float(input(args, 0)), b = __uint_as_float(input(args, 1));
  start = a;
  __syncthreads();
  // Behind what input() reads. The passes of a block are neighbours, so that the copy unit has the translation too.
  const u64 places = args.data_bytes / 131072 - 1, first_place = launch_hash(args) + u64{blockIdx.x} * args.passes;
  PASSES {
    const char* block = args.data + ((first_place + pass) % places + 1) * 131072;
    const char* p = block + BYTES - 128 + (threadIdx.x & args.zero);  // a lane's own, or it would be moved inside the window
    u32 v;
    window.ready(a);
    window.ready(b);
    window.ready(reinterpret_cast<u64>(p));
    // The first load of a page waits for its translation, some 200 cycles on an H200, whatever L2 has.
    u32 other;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(other) : "l"(p + 256) : "memory");
    window.ready(other);
    if (lane() == 0) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(block), "n"(BYTES) : "memory");
    // The delay begins with a value read behind a barrier, or ptxas would put it before the access.
    __syncthreads();
    float delay;
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(delay) : "r"(shared_address(&start)) : "memory");
    _Pragma("unroll 1") for (u32 r = 0; r < static_cast<u32>(args.at) / 256; ++r)
      UNROLL for (int i = 0; i < 64; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(delay) : "f"(a), "f"(b));
    window.ready(delay);
    window.open();
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    window.wait(v);
    window.close();
    // The address outlives the window, or the load would overwrite it and so wait for the access before it.
    window.ready(reinterpret_cast<u64>(p));
  }
  window.report(args);
}
