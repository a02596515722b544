// BYTES that only DRAM holds, in a page whose translation is warm, prefetched into L2 by one cp.async.bulk.prefetch,
// and args.at cycles later one load of the last line of them; every launch pairs the SMs with other bytes. The window
// holds the load alone; the distance is a chain of FFMAs of 4 cycles each (their encoded stall, shown by the
// instruction probes), 64 to a trip.
#include "probe.cuh"
#include "memory/delay.cuh"

PROBE {
  Window window;
  const Delay delay(args);
  // Behind what input() reads. The passes of a block are neighbours, so that the copy unit has the translation too.
  const u64 places = args.data_bytes / 131072 - 1, first_place = launch_hash(args) + u64{blockIdx.x} * args.passes;
  PASSES {
    const char* block = args.data + ((first_place + pass) % places + 1) * 131072;
    const char* p = block + BYTES - 128 + (threadIdx.x & args.zero);  // a lane's own, or it would be moved inside the window
    u32 v;
    // The first load of a page waits for its translation, some 200 cycles on an H200, whatever L2 has.
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
    // The address outlives the window, or the load would overwrite it and so wait for the access before it.
    window.ready(reinterpret_cast<u64>(p));
  }
  window.report(args);
}
