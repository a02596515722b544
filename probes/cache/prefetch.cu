// One line that is only in DRAM, in a page whose translation is warm, is prefetched by KIND and loaded DISTANCE cycles
// later. The window holds only the load; the distance is a chain of FFMAs of 4 cycles each (their encoded stall count,
// which the instruction probes show). Every launch pairs the SMs with other lines.
#include "probe.cuh"
#include "memory/delay.cuh"

#undef PREFETCH
#if defined(KIND_none)
#define PREFETCH(p)
#elif defined(KIND_L2_evict_last)
#define PREFETCH(p) asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(p) : "memory")
#elif defined(KIND_L2_evict_normal)
#define PREFETCH(p) asm volatile("prefetch.global.L2::evict_normal [%0];" ::"l"(p) : "memory")
#else
#define PREFETCH(p) asm volatile("prefetch.global." KIND " [%0];" ::"l"(p) : "memory")
#endif

PROBE {
  Window window;
  const Delay delay(args);
  const u64 places = args.data_bytes / 4096 - 1, first_place = launch_hash(args);
  PASSES {
    // Starts from the end, because input() reads at the beginning.
    const char* p = args.data + (places - (first_place + u64{pass} * gridDim.x + blockIdx.x) % places) * 4096;
    u32 v;
    // The first load of a page waits some 200 cycles for its translation (H200), even if L2 has the data.
    u32 other;
    asm volatile("ld.global.cg.u32 %0, [%1 + 2048];" : "=r"(other) : "l"(p) : "memory");
    p = behind(p, other, args);
    PREFETCH(p);
    window.ready(delay.of<DISTANCE>(other));
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
