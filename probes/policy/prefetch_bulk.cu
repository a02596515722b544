// BYTES that are only in DRAM, in a page whose translation is warm, are prefetched into L2 by one
// cp.async.bulk.prefetch, and args.at cycles later their last line is loaded; every launch pairs the SMs with other
// bytes. The window holds only the load. The distance is a chain of FFMAs of 4 cycles each (their encoded stall count,
// which the instruction probes show), 64 per trip.
#include "probe.cuh"
#include "memory/delay.cuh"

PROBE {
  Window window;
  const Delay delay(args);
  // After the words of input(). The passes of a block are adjacent, so that the copy unit has the translation too.
  const u64 places = args.data_bytes / 131072 - 1, first_place = launch_hash(args) + u64{blockIdx.x} * args.passes;
  PASSES {
    const char* block = args.data + ((first_place + pass) % places + 1) * 131072;
    const char* p = block + BYTES - 128 + (threadIdx.x & args.zero);  // a lane's own, or it would be moved inside the window
    u32 v;
    // The first load of a page waits some 200 cycles for its translation (H200), even if L2 has the data.
    u32 other;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(other) : "l"(p + 256) : "memory");
    p = behind(p, other, args);
    block = behind(block, other, args);
    if (lane() == 0) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(block), "n"(BYTES) : "memory");
    window.ready(delay.of_trips(static_cast<u32>(args.at) / 256, other));
    window.ready(reinterpret_cast<u64>(p));
    window.open();
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    window.wait(v);
    window.close();
    // Keeps the address alive: a load that overwrote it would wait for the previous access to its register.
    window.ready(reinterpret_cast<u64>(p));
  }
  window.report(args);
}
